import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

interface Option {
  /** The value has its type. A list is of words: the option may be given more than once. */
  fallback: number | string | boolean | readonly string[];
  help: string;
  /** Bounds of a number. */
  min?: number;
  max?: number;
  /** Without, any word will do. */
  choices?: readonly string[];
}

/** What a command takes, by option name. */
export type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<Fallback> = Fallback extends number
  ? number
  : Fallback extends string
    ? string
    : Fallback extends boolean
      ? boolean
      : string[];

/** Values of a command's options, each within its bounds. */
export type Options<T extends OptionTable> = { [Name in keyof T]: ValueOf<T[Name]['fallback']> };

/** Reads `--name value` pairs and flags. Throws UsageError. */
export function parseOptions<T extends OptionTable>(table: T, args: readonly string[]): Options<T> {
  const given = givenValues(table, args);
  const values = Object.entries(table).map(([name, option]) => [
    name,
    parsed(name, option, given[name]),
  ]);
  return Object.fromEntries(values) as Options<T>;
}

function givenValues(table: OptionTable, args: readonly string[]) {
  const options = Object.entries(table).map(([name, { fallback }]) => {
    const type = typeof fallback === 'boolean' ? 'boolean' : 'string';
    return [name, { type, multiple: Array.isArray(fallback) }] as const;
  });
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options) }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

type Given = ReturnType<typeof givenValues>[string];

function parsed(name: string, option: Option, given: Given) {
  if (given === undefined) return option.fallback;
  if (Array.isArray(given)) return given.map((each) => wordOf(name, option, String(each)));
  if (typeof given === 'boolean') return given;
  const isNumber = typeof option.fallback === 'number';
  return isNumber ? numberOf(name, option, given) : wordOf(name, option, given);
}

function numberOf(name: string, { min = 0, max = Infinity }: Option, given: string): number {
  const number = given === '' ? Number.NaN : Number(given);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`--${name} takes a whole number from ${min} to ${max}`);
}

function wordOf(name: string, { choices }: Option, given: string): string {
  if (choices === undefined || choices.includes(given)) return given;
  throw new UsageError(`--${name} takes one of ${choices.join(', ')}`);
}

/** One line an option. */
export function describeOptions(table: OptionTable): string {
  const lines = Object.entries(table).map(([name, { fallback, choices, help }]) => {
    const word = typeof fallback === 'number' ? 'n' : (choices?.join('|') ?? name);
    const option = typeof fallback === 'boolean' ? `--${name}` : `--${name} <${word}>`;
    const usual =
      typeof fallback === 'boolean' || fallback.toString() === '' ? '' : ` (${fallback})`;
    return `  ${option.padEnd(27)} ${help}${usual}`;
  });
  return lines.join('\n');
}

/** Runs an entry point. A UsageError is printed with the help and ends the process with 2. */
export async function runEntryPoint(help: string, main: (args: string[]) => Promise<void>) {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(help);
  try {
    await main(args);
  } catch (error) {
    process.exitCode = 2;
    console.error(error instanceof UsageError ? `${error.message}\n\n${help}` : error);
  }
}
