const TOKENS = /YYYY|YY|MMMM|MMM|MM|M|DD|D|ddd|HH|mm|ss|SSS|ZZ/g

/**
 * Whether a name of a date format can be used: `epoch-ms`, `epoch-s`, or a pattern of YYYY or YY; MMMM, MMM, MM or M;
 * DD or D; and, where it has a time, ddd, HH, mm, ss, SSS, ZZ, T and [literal text].
 */
export function isDatePattern(name: string): boolean {
  if (name === 'epoch-ms' || name === 'epoch-s') return true
  const pattern = name.replace(/\[[^\]]*\]/g, '').replace(/T(?=HH)/, '')
  const others = pattern.replace(TOKENS, '')
  return /YY/.test(pattern) && /M/.test(pattern) && /D/.test(pattern) && !/\p{L}/u.test(others)
}
