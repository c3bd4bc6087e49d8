import { useEffect, useRef } from 'preact/hooks';
import { whileOnScreen } from '../common/on-screen.ts';
import { request } from '../common/request.ts';
import { type Living, LivingCities } from './living-cities.ts';
import { CityLink, nameOf, viewerLink } from './parts.tsx';
import { TWIN_URL } from './settings.ts';
import type { Car } from './types.ts';

const cities = new LivingCities((path) => request(`${TWIN_URL}/api/v1${path}`));

const STATUS = { driving: '', stopped: 'standing', crashed: 'crashed' } as const;

interface LivingCellProps {
  car: Car;
  /** Where the car is in no city. */
  elsewhere?: string;
}

/** How a car drives at the moment, its last collision, and the way to its city. */
export function LivingCell({ car, elsewhere = '–' }: LivingCellProps) {
  if (car.world === null) return <span class="soft">{elsewhere}</span>;
  return <LivingCar car={car} world={car.world} />;
}

function LivingCar({ car, world }: { car: Car; world: string }) {
  const cell = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (cell.current !== null) return whileOnScreen(cell.current, () => cities.show(world));
  }, [world]);
  const cars = cities.carsOf(world).value;
  const living = cars?.get(car.vin);
  return (
    <span class="two-lines" ref={cell}>
      {cars === undefined ? <span class="soft">Asking its city…</span> : null}
      {cars === null ? <span class="soft">Its city does not answer</span> : null}
      {living === undefined ? null : <span>{courseOf(living)}</span>}
      <Crash car={car} living={living} />
      <CityLink car={car} />
    </span>
  );
}

/** “41 km/h, Storgatan”. */
function courseOf({ kmh, street, status }: Living): string {
  const speed = STATUS[status] || `${Math.round(kmh)} km/h`;
  return `${speed}, ${street ?? 'at a junction'}`;
}

/** The last collision, if it was not long ago. */
function Crash({ car, living }: { car: Car; living: Living | undefined }) {
  const crash = living?.crash;
  if (!crash || car.viewer_url === null) return null;
  return (
    <span class="crash">
      Collided {agoText(crash.agoS)} ago ·{' '}
      <a {...viewerLink(car.viewer_url, { incident: crash.incident })}>
        See why<span class="visually-hidden"> {nameOf(car)} collided</span>
      </a>
    </span>
  );
}

const agoText = (seconds: number): string =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
