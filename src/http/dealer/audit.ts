import type { Car } from '../../dealer/cars.ts';
import type { Session } from '../../dealer/sessions.ts';
import type { Log } from '../../log.ts';

/** A log must not contain a whole VIN: with it anybody could switch the features of the car. */
const SHOWN_LENGTH = 6;

/** What a change set; no data of a person but usernames. */
interface Change {
  locked?: boolean;
  climate?: boolean;
  charging?: boolean;
  owner?: string | null;
  fleet?: string | null;
  removed?: true;
}

/** Logs who changed which car. */
export function auditCars(log: Log) {
  return (
    requestId: string,
    { account }: Session,
    { vin }: Pick<Car, 'vin'>,
    change: Change,
  ): void => {
    const { username: by, role } = account;
    log.info({ requestId, by, role, car: vin.slice(-SHOWN_LENGTH), ...change }, 'car changed');
  };
}
