import { dateFormat, type DateFormat } from '../engine/time/date-format.ts'

/** The usual formats, the commonest first. */
export const USUAL_DATE_FORMATS: readonly DateFormat[] = [
  ...['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY/MM/DD', 'DD-MM-YYYY', 'MM-DD-YYYY', 'DD.MM.YYYY', 'YYYYMMDD'],
  'YYYY-MM-DDTHH:mm:ss.SSS[Z]',
  'YYYY-MM-DDTHH:mm:ss[Z]',
  'YYYY-MM-DDTHH:mm:ss',
  'YYYY-MM-DD HH:mm:ss',
  'epoch-ms',
  'epoch-s',
].map(dateFormat)

/** Formats that are tried only where none of the usual ones selects anything. */
export const RARE_DATE_FORMATS: readonly DateFormat[] = [
  ...['DD/MM/YY', 'MM/DD/YY', 'YY/MM/DD', 'DD-MM-YY', 'YY-MM-DD', 'DD.MM.YY', 'YYMMDD', 'DDMMYYYY', 'MMDDYYYY'],
  ...['YYYY.MM.DD', 'D/M/YYYY', 'M/D/YYYY', 'D.M.YYYY', 'YYYY-M-D'],
  ...['DD MMM YYYY', 'D MMM YYYY', 'DD-MMM-YYYY', 'D MMMM YYYY', 'MMM D, YYYY', 'MMMM D, YYYY', 'ddd MMM DD YYYY'],
  ...['YYYY-MM-DDTHH:mm:ssZZ', 'YYYY-MM-DDTHH:mm', 'YYYY-MM-DD HH:mm', 'YYYY-MM-DD HH:mm:ss.SSS', 'YYYYMMDDHHmmss'],
  ...['DD/MM/YYYY HH:mm', 'DD/MM/YYYY HH:mm:ss', 'MM/DD/YYYY HH:mm:ss', 'DD.MM.YYYY HH:mm', 'YYYY/MM/DD HH:mm:ss'],
  'ddd, DD MMM YYYY HH:mm:ss [GMT]',
].map(dateFormat)
