import { expect, test } from 'vitest';
import { emailFault } from './email.ts';

test.each([
  'a@x.test',
  'first.last+tag@sub.example.co.uk',
  "o'brien!#$%&*/=?^_`{|}~-@example.com",
  'åsa@exämple.se',
  'user@xn--exmple-cua.com',
  'user@example.xn--p1ai',
  'a@b-c.example',
  `${'a'.repeat(64)}@example.com`,
])('%s is an email', (email) => {
  expect(emailFault(email)).toBeUndefined();
});

test.each([
  ['a@x', 'The part after the @-sign is not valid. It should have a period.'],
  ['a@-x.com', 'An email address cannot have a hyphen immediately after the @-sign.'],
  ['a@x.com-', 'An email address cannot end with a hyphen.'],
  ['a@x-.com', 'An email address cannot have a period and a hyphen next to each other.'],
  ['a@x_y.com', "The part after the @-sign contains invalid characters: '_'."],
  ['a@[1.2.3.4]', "The part after the @-sign contains invalid characters: '[', ']'."],
  ['a\tb@x.com', 'The email address contains invalid characters before the @-sign: U+0009.'],
  ['"a"@x.com', "The email address contains invalid characters before the @-sign: '\"'."],
  ['a\\b@x.com', 'The email address contains invalid characters before the @-sign: "\\".'],
  ['a\u2028b@x.com', 'The email address contains unsafe characters: U+2028.'],
  [
    `${'a'.repeat(65)}@example.com`,
    'The email address is too long before the @-sign (1 character too many).',
  ],
  [
    `a@${'b'.repeat(65)}.com`,
    'After the @-sign, periods cannot be separated by so many characters (2 characters too many).',
  ],
  [`a@${'b.'.repeat(126)}com`, 'The email address is too long (3 characters too many).'],
  // In the form in which emails are compared: 64 letters become 64 × 33 bytes.
  [`${'\ufdfa'.repeat(64)}@x.com`, 'The email address is too long (1864 characters too many).'],
])('%j is no email: %s', (email, fault) => {
  expect(emailFault(email)).toBe(fault);
});
