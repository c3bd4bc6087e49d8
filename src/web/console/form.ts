import { useEffect, useRef, useState } from 'preact/hooks';
import { type FieldFault, RequestError } from '../common/request.ts';

type Values<Name extends string> = Record<Name, string>;

/** What a field of a form is rendered with. */
export interface FormField {
  name: string;
  value: string;
  error: string | undefined;
  onInput: (value: string) => void;
}

/** A form under way: what is in it, and what the service said of it. */
export interface Form<Name extends string> {
  values: Values<Name>;
  /** What is wrong with no single field. */
  failure: string | undefined;
  isSending: boolean;
  field(name: Name): FormField;
  /** Properties of the form's element. */
  attributes: {
    ref: { current: HTMLFormElement | null };
    noValidate: true;
    onSubmit: (event: Event) => void;
  };
  /** Fills it anew. */
  fill(values: Values<Name>): void;
}

interface Verdict {
  byField: Readonly<Record<string, string>>;
  failure: string | undefined;
}

const FINE: Verdict = { byField: {}, failure: undefined };

/**
 * A form that the service judges: what a 422 says of a field is shown at it, and the first such
 * field gets the focus; everything else is said of the form.
 * @param send may throw RequestError
 */
export function useForm<Name extends string>(
  initial: Values<Name>,
  send: (values: Values<Name>) => Promise<void>,
): Form<Name> {
  const [values, setValues] = useState(initial);
  const [verdict, setVerdict] = useState(FINE);
  const [refusals, setRefusals] = useState(0);
  const [isSending, setSending] = useState(false);
  const ref = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (refusals > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);

  const submit = async () => {
    if (isSending) return;
    setSending(true);
    try {
      await send(values);
      setVerdict(FINE);
    } catch (error) {
      setVerdict(verdictOf(error, values));
      setRefusals((last) => last + 1);
    } finally {
      setSending(false);
    }
  };
  return {
    values,
    failure: verdict.failure,
    isSending,
    field: (name) => ({
      name,
      value: values[name],
      error: verdict.byField[name],
      onInput: (value) => {
        setValues((all) => ({ ...all, [name]: value }));
        // What was wrong with the old value need not be with the new one.
        setVerdict(({ byField: { [name]: _, ...byField }, failure }) => ({ byField, failure }));
      },
    }),
    attributes: {
      ref,
      noValidate: true,
      onSubmit: (event) => {
        event.preventDefault();
        void submit();
      },
    },
    fill: setValues,
  };
}

function verdictOf(error: unknown, values: object): Verdict {
  if (!(error instanceof RequestError)) {
    return { byField: {}, failure: error instanceof Error ? error.message : String(error) };
  }
  if (error.faults.length === 0) return { byField: {}, failure: error.message };
  const isOfField = ({ loc }: FieldFault) => String(loc.at(-1)) in values;
  const here = error.faults.filter(isOfField);
  const elsewhere = error.faults.filter((fault) => !isOfField(fault));
  return {
    byField: Object.fromEntries(here.map(({ loc, msg }) => [String(loc.at(-1)), words(msg)])),
    failure:
      elsewhere.length === 0
        ? undefined
        : elsewhere.map(({ loc, msg }) => `${loc.join('.')}: ${words(msg)}`).join(' '),
  };
}

/** What the service says for programs, as people say it. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  'Field required': 'Please fill this in',
  'String should have at least 1 character': 'Please fill this in',
  "String should match pattern '^[a-z0-9_]+$'":
    'Should have only small letters, digits and underscores',
};

/** What the service says, without what only programs want to read. */
function words(msg: string): string {
  const text = (PLAIN_WORDS[msg] ?? msg)
    .replace(/^(Value error, |value is not a valid email address: )/, '')
    .replace(/^(String|Input) should/, 'Should');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
