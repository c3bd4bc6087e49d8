/** The position of the first syntax error, in code points, and its reason. */
export interface JsonFault {
  offset: number;
  reason: string;
}

const BLANKS = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** A string as far as it is valid, without its closing quote. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

/** What is valid next. `first` and `firstKey`: an element, or the closing bracket. */
type Expected = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'comma';

const REASONS: Readonly<Record<Expected, string>> = {
  value: 'Expecting value',
  first: 'Expecting value',
  key: 'Expecting property name enclosed in double quotes',
  firstKey: 'Expecting property name enclosed in double quotes',
  colon: "Expecting ':' delimiter",
  comma: "Expecting ',' delimiter",
};

/** The first syntax error of a text that is not JSON. It does not recurse: nesting is unlimited. */
export function jsonFault(text: string): JsonFault {
  /** Open brackets, innermost last. */
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isThere = pattern.test(text);
    if (isThere) at = pattern.lastIndex;
    return isThere;
  };
  const fault = (reason: string): JsonFault => ({
    offset: [...text.slice(0, at)].length,
    reason: at >= text.length ? 'Unexpected end of input' : reason,
  });
  for (;;) {
    skip(BLANKS);
    if (expected === 'comma' && open.length === 0) return fault('Extra data');
    const mark = text[at] ?? '';
    const isKey: boolean = expected === 'key' || expected === 'firstKey';
    const isValue: boolean = expected === 'value' || expected === 'first';
    if (mark === '"' && (isKey || isValue)) {
      skip(STRING);
      if (text[at] !== '"') {
        return fault(text[at] === '\\' ? 'Invalid escape' : 'Invalid control character');
      }
      at++;
      expected = isKey ? 'colon' : 'comma';
    } else if (isValue && (mark === '{' || mark === '[')) {
      at++;
      open.push(mark);
      expected = mark === '{' ? 'firstKey' : 'first';
    } else if (closes(mark, open.at(-1), expected)) {
      at++;
      open.pop();
      expected = 'comma';
    } else if (mark === ':' && expected === 'colon') {
      at++;
      expected = 'value';
    } else if (mark === ',' && expected === 'comma') {
      at++;
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else if (isValue && skip(SCALAR)) {
      expected = 'comma';
    } else {
      return fault(REASONS[expected]);
    }
  }
}

function closes(mark: string, open: string | undefined, expected: Expected): boolean {
  if (mark === '}') return open === '{' && (expected === 'firstKey' || expected === 'comma');
  return mark === ']' && open === '[' && (expected === 'first' || expected === 'comma');
}
