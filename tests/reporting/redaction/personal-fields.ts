/** Fields that say something of a person, or were written by one: everything in them is masked. */
export const PERSONAL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Contact: ['name', 'number', 'email', 'profilePicUrl'],
  ContactUpdate: ['name', 'number', 'email', 'profilePicUrl'],
  ScheduleUser: ['name'],
  FlowItem: ['content', 'fileName'],
  Ticket: ['lastMessage'],
  CampaignGroup: [
    'jid',
    'name',
    'description',
    'picture',
    'inviteLink',
    // Their inner shape is not shown, so they may hold anything.
    'initialMembers',
    'settings',
    'logs',
  ],
}

/** Query parameters whose value is made from personal fields. */
export const PERSONAL_PARAMETERS: readonly string[] = ['searchParam']

/** Members of an error response that explain the error; the person concerned is only ever quoted in them. */
export const ERROR_MEMBERS: readonly string[] = [
  'error',
  'errors',
  'code',
  'message',
  'detail',
  'field',
  'title',
  'type',
]

/** Names of members that hold a time, whose digits mean nothing else. */
export const TIME_MEMBER = /(At|Date|Until)$/

/** A member's name as programmers choose it; another, such as a telephone number, is a value used as a name. */
export const IDENTIFIER = /^[a-z_$][a-z_$]*\d{0,4}[a-z_$]*$/i
