import { useEffect, useRef, useState } from 'preact/hooks';
import { type FieldFault, RequestError, reasonOf } from '../common/request.ts';

/** The state of a form: its values, and the answer of the service. */
export type Form<Name extends string> = ReturnType<typeof useForm<Name>>;

interface Verdict {
  byField: Readonly<Record<string, string>>;
  failure: string;
}

const FINE: Verdict = { byField: {}, failure: '' };

/**
 * A form that the service validates. The faults of a 422 are shown at their fields, and the first
 * of these gets the focus; other errors are shown for the form as a whole.
 * @param send may throw RequestError
 */
export function useForm<Name extends string>(
  initial: Record<Name, string>,
  send: (values: Record<Name, string>) => Promise<void>,
) {
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
    /** An error that belongs to no field; empty where there is none. */
    failure: verdict.failure,
    isSending,
    /** Properties of a control. */
    field: (name: Name) => ({
      name,
      value: values[name],
      error: verdict.byField[name],
      onInput: (value: string) => {
        setValues((all) => ({ ...all, [name]: value }));
        // The error was about the old value.
        setVerdict(({ byField: { [name]: _, ...byField }, failure }) => ({ byField, failure }));
      },
    }),
    /** Properties of the form's element. */
    attributes: {
      ref,
      noValidate: true,
      onSubmit: (event: Event) => {
        event.preventDefault();
        void submit();
      },
    },
    /** Replaces all values. */
    fill: setValues,
  };
}

function verdictOf(error: unknown, values: object): Verdict {
  const faults = error instanceof RequestError ? error.faults : [];
  if (faults.length === 0) {
    return { byField: {}, failure: reasonOf(error) };
  }
  const isOfField = ({ loc }: FieldFault) => String(loc.at(-1)) in values;
  const here = faults.filter(isOfField);
  const elsewhere = faults.filter((fault) => !isOfField(fault));
  return {
    byField: Object.fromEntries(here.map(({ loc, msg }) => [String(loc.at(-1)), words(msg)])),
    failure: elsewhere.map(({ loc, msg }) => `${loc.join('.')}: ${words(msg)}`).join(' '),
  };
}

/** Messages of the service that are written for programs, in words for people. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  'Input should be a valid number, unable to parse string as a number':
    'Enter a number, such as 59.33',
  'Input should be a valid number': 'Enter a number, such as 59.33',
  'Field required': 'Please fill this in',
  'String should have at least 1 character': 'Please fill this in',
  "String should match pattern '^[a-z0-9_]+$'":
    'Should have only small letters, digits and underscores',
};

/** A message of the service without its technical prefix. */
function words(msg: string): string {
  const text = (PLAIN_WORDS[msg] ?? msg)
    .replace(/^(Value error, |value is not a valid email address: )/, '')
    .replace(/^(String|Input) should/, 'Should');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
