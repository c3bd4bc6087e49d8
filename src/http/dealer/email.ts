/** Limits of an email and its local part (RFC 5321). */
const LENGTH_MAX = 254;
const LOCAL_LENGTH_MAX = 64;
const LABEL_LENGTH_MAX = 63;

const LOCAL_CHARACTER = /^[\w.!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]$/u;
const DOMAIN_CHARACTER = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]$/u;
const SHOWN_AS_IT_IS = /^[\p{L}\p{N}\p{P}\p{S}]$/u;
const UNSAFE = /[\p{Z}\p{C}]/u;

type Rule = readonly [broken: RegExp, fault: string];

const TWO_PERIODS: Rule = [/\.\./, 'An email address cannot have two periods in a row.'];
const LOCAL_RULES: readonly Rule[] = [
  [/\.$/, 'An email address cannot have a period immediately before the @-sign.'],
  [/^\./, 'An email address cannot start with a period.'],
  TWO_PERIODS,
];
const DOMAIN_RULES: readonly Rule[] = [
  [/\.$/, 'An email address cannot end with a period.'],
  [/^\./, 'An email address cannot have a period immediately after the @-sign.'],
  TWO_PERIODS,
  [/-$/, 'An email address cannot end with a hyphen.'],
  [/^-/, 'An email address cannot have a hyphen immediately after the @-sign.'],
  [/\.-|-\./, 'An email address cannot have a period and a hyphen next to each other.'],
];

/**
 * The fault of an email in the words of Python's email-validator; undefined if it is valid. Accepts
 * special-use domains. Every check takes linear time.
 * @param email without surrounding blanks
 */
export function emailFault(email: string): string | undefined {
  const at = email.indexOf('@');
  if (at < 0) return 'An email address must have an @-sign.';
  const local = email.slice(0, at);
  const domain = email.slice(at + 1);
  return localFault(local) ?? domainFault(domain) ?? lengthFault(email);
}

function localFault(local: string): string | undefined {
  if (local === '') return 'There must be something before the @-sign.';
  const surplus = [...local].length - LOCAL_LENGTH_MAX;
  if (surplus > 0) return `The email address is too long before the @-sign ${tooMany(surplus)}.`;
  const wrong = wrongCharacters(local, LOCAL_CHARACTER);
  if (wrong !== '') {
    return `The email address contains invalid characters before the @-sign: ${wrong}.`;
  }
  return brokenRule(local, LOCAL_RULES) ?? unsafe(local);
}

function domainFault(domain: string): string | undefined {
  if (domain === '') return 'There must be something after the @-sign.';
  const wrong = wrongCharacters(domain, DOMAIN_CHARACTER);
  if (wrong !== '') {
    return `The part after the @-sign contains invalid characters: ${wrong}.`;
  }
  return (
    unsafe(domain) ??
    brokenRule(domain, DOMAIN_RULES) ??
    labelFault(domain) ??
    topLevelFault(domain)
  );
}

function labelFault(domain: string): string | undefined {
  const longest = Math.max(...domain.split('.').map((label) => label.length));
  const surplus = longest - LABEL_LENGTH_MAX;
  if (surplus <= 0) return undefined;
  return `After the @-sign, periods cannot be separated by so many characters ${tooMany(surplus)}.`;
}

function topLevelFault(domain: string): string | undefined {
  if (!domain.includes('.')) {
    return 'The part after the @-sign is not valid. It should have a period.';
  }
  if (/[a-z\u0080-\u{10ffff}]$/iu.test(domain)) return undefined;
  // The ASCII form (Punycode) of a domain in another script may end in a digit.
  if (/\.xn--[a-z0-9-]+$/i.test(domain)) return undefined;
  return 'The part after the @-sign is not valid. It is not within a valid top-level domain.';
}

function lengthFault(email: string): string | undefined {
  // It is compared in this form, which may be many times as long.
  const compared = email.normalize('NFKC');
  const bytes = Math.max(Buffer.byteLength(email), Buffer.byteLength(compared));
  const surplus = bytes - LENGTH_MAX;
  return surplus > 0 ? `The email address is too long ${tooMany(surplus)}.` : undefined;
}

function brokenRule(text: string, rules: readonly Rule[]): string | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}

function unsafe(text: string): string | undefined {
  if (!UNSAFE.test(text)) return undefined;
  const wrong = [...new Set(text)].filter((character) => UNSAFE.test(character)).sort();
  return `The email address contains unsafe characters: ${wrong.map(shown).join(', ')}.`;
}

/** Lists the distinct characters that are not allowed. */
function wrongCharacters(text: string, allowed: RegExp): string {
  const wrong = [...new Set(text)].filter((character) => !allowed.test(character));
  return wrong.map(shown).sort().join(', ');
}

function shown(character: string): string {
  if (character === ' ') return 'SPACE';
  if (character === '\\') return '"\\"';
  if (character === "'") return '"\'"';
  if (SHOWN_AS_IT_IS.test(character)) return `'${character}'`;
  const code = character.codePointAt(0) ?? 0;
  const length = code < 0xffff ? 4 : 8;
  return `U+${code.toString(16).padStart(length, '0').toUpperCase()}`;
}

function tooMany(surplus: number): string {
  return `(${surplus} character${surplus > 1 ? 's' : ''} too many)`;
}
