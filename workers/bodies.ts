/** The Piscina entry of the thread that parses large bodies: every export is a task. */
import './low-priority.ts';
import { TwinError } from '../src/errors.ts';
import { parseInThread } from '../src/http/dealer/body.ts';
import { parseJson } from '../src/json.ts';
import { JOURNAL_FIELDS_MAX, parseWorldOptions } from '../src/twin/world-options.ts';

/** An error has no code any more when it comes from a thread. */
export const worldOptions = ({ body, cityNames }: { body: Uint8Array; cityNames: string[] }) => {
  try {
    return { options: parseWorldOptions(parseJson(body, JOURNAL_FIELDS_MAX), cityNames) };
  } catch (error) {
    if (!(error instanceof TwinError)) throw error;
    return { refusal: { code: error.code, hint: error.hint } };
  }
};

export const dealerBody = parseInThread;
