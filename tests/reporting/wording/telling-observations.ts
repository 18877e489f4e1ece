/** The observations that a reader wants to know first, in this order. */
export const TELLING_OBSERVATIONS: readonly string[] = [
  'listContacts.observed.first-page',
  'listContacts.observed.page-size',
  'listContacts.observed.past-the-end',
  'listContacts.observed.date-format',
  'listContacts.observed.date-zone',
  'listContacts.observed.search',
  'listContacts.observed.refusal',
  'updateContact.observed.success-status',
  'updateContact.observed.required-fields',
  'updateContact.observed.merge-or-replace',
  'updateContact.observed.own-records',
]
