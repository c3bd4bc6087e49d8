import { useState } from 'preact/hooks';
import { Switch } from '../common/button.tsx';
import { showToast } from '../common/toasts.tsx';
import { call } from './session.ts';
import type { Car, Flag } from './types.ts';

export const FLAGS: Readonly<Record<Flag, string>> = {
  locked: 'Locked',
  climate: 'Climate',
  charging: 'Charging',
};

const DONE: Record<Flag, readonly [off: string, on: string]> = {
  locked: ['unlocked', 'locked'],
  climate: ['no longer kept warm', 'being kept warm'],
  charging: ['not charging', 'charging'],
};

interface FlagSwitchProps {
  car: Car;
  flag: Flag;
  /** The column already names the flag. */
  isInTable?: boolean;
  onChange: (car: Car) => void;
}

/** The switch of a flag. It shows the change at once and reverts it where the request fails. */
export function FlagSwitch({ car, flag, isInTable = false, onChange }: FlagSwitchProps) {
  const [wanted, setWanted] = useState<boolean>();
  const isOn = car[flag];
  if (isOn === null) return <span class="soft">–</span>;
  const name = car.plate ?? car.vin;
  const change = async (to: boolean) => {
    setWanted(to);
    try {
      const path = `/api/cars/${encodeURIComponent(car.vin)}/state`;
      onChange(await call<Car>(path, { method: 'PATCH', body: { [flag]: to } }));
      showToast(`${name} is ${DONE[flag][to ? 1 : 0]}.`);
    } catch (error) {
      showToast(
        `${name} could not be switched. ${error instanceof Error ? error.message : ''}`,
        'bad',
      );
    }
    setWanted(undefined);
  };
  return (
    <Switch
      isOn={wanted ?? isOn}
      isBusy={wanted !== undefined}
      label={isInTable ? `${FLAGS[flag]}, ${name}` : FLAGS[flag]}
      hidesLabel={isInTable}
      onChange={change}
    />
  );
}
