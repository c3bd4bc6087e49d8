import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Empty, ResourceView } from '../common/states.tsx';
import { timeOf } from './parts.tsx';
import { useCall } from './session.ts';
import type { AuditEntry } from './types.ts';

const SHOWN = 10;

/** What somebody did, before the fields that changed by it. */
const ACTION_TEXTS: Readonly<Record<AuditEntry['action'], string>> = {
  add_to_fleet: 'put it into a fleet',
  set_owner: 'set the owner',
  clear_owner: 'removed the owner',
  set_state: 'switched',
  sign_up: 'signed up',
  change_profile: 'changed',
  delete_dealer: 'deleted its dealer',
};
const WITH_FIELDS: readonly AuditEntry['action'][] = ['set_state', 'change_profile'];
const FIELDS: Readonly<Record<string, string>> = {
  locked: 'the lock',
  climate: 'the climate',
  iban: 'IBAN',
  charging_card_rfid: 'charging card',
  personnummer: 'personal number',
};

/** Its title, and what it says where there is no change. */
const TITLES = {
  car: ['Who changed this car', 'Nobody has changed it yet'],
  customer: ['Who changed this account', 'Nobody has changed it yet'],
  own: ['Changes of your account', 'There is no change yet'],
} as const;

interface AuditTrailProps {
  /** Whose it is; `own`: the account that is logged in. */
  of: keyof typeof TITLES;
  /** Of the record: `/api/cars/{vin}`. */
  path: string;
  /** Changes with the record: the trail is read again. */
  stamp: string;
}

/** Who changed a car or a customer, newest first. */
export function AuditTrail({ of, path, stamp }: AuditTrailProps) {
  const trail = useCall<AuditEntry[]>(`${path}/audit`, [stamp]);
  const [isWhole, setWhole] = useState(false);
  const [title, none] = TITLES[of];
  return (
    <section class="panel" aria-labelledby="audit">
      <h2 id="audit">{title}</h2>
      <ResourceView resource={trail} what="the changes">
        {(entries) =>
          entries.length === 0 ? (
            <Empty title={none} />
          ) : (
            <>
              <ol class="trail">
                {(isWhole ? entries : entries.slice(0, SHOWN)).map((entry, i) => (
                  <li key={entries.length - i}>
                    <span>
                      <strong>{entry.actor}</strong> {textOf(entry)}
                    </span>
                    <time class="soft small" dateTime={entry.at}>
                      {timeOf(entry.at)}
                    </time>
                  </li>
                ))}
              </ol>
              {isWhole || entries.length <= SHOWN ? null : (
                <Button size="small" onClick={() => setWhole(true)}>
                  Show all {entries.length}
                </Button>
              )}
            </>
          )
        }
      </ResourceView>
    </section>
  );
}

/** “switched the lock, charging”. */
function textOf({ action, fields }: AuditEntry): string {
  const named = fields.map((field) => FIELDS[field] ?? field.replaceAll('_', ' '));
  return WITH_FIELDS.includes(action)
    ? `${ACTION_TEXTS[action]} ${named.join(', ')}`
    : ACTION_TEXTS[action];
}
