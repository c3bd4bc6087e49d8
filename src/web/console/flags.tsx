import { useState } from 'preact/hooks';
import { Switch } from '../common/button.tsx';
import { showToast } from '../common/toasts.tsx';
import { call } from './session.ts';
import type { Car } from './types.ts';

/** Their names, and what a car is when they are off and on. */
export const FLAGS = [
  { flag: 'locked', label: 'Locked', off: 'unlocked', on: 'locked' },
  { flag: 'climate', label: 'Climate', off: 'no longer kept warm', on: 'being kept warm' },
  { flag: 'charging', label: 'Charging', off: 'not charging', on: 'charging' },
] as const;

interface FlagSwitchProps {
  car: Car;
  of: (typeof FLAGS)[number];
  /** The column already names the flag. */
  isInTable?: boolean;
  onChange: (car: Car) => void;
}

/** The switch of a flag. It shows the change at once and reverts it where the request fails. */
export function FlagSwitch({ car, of, isInTable = false, onChange }: FlagSwitchProps) {
  const { flag, label } = of;
  const [wanted, setWanted] = useState<boolean>();
  const isOn = car[flag];
  if (isOn === null) return <span class="soft">–</span>;
  const name = car.plate ?? car.vin;
  const change = async (to: boolean) => {
    setWanted(to);
    try {
      const path = `/api/cars/${encodeURIComponent(car.vin)}/state`;
      onChange(await call<Car>(path, { method: 'PATCH', body: { [flag]: to } }));
      showToast(`${name} is ${to ? of.on : of.off}.`);
    } catch (error) {
      showToast(`${name} could not be switched. ${error instanceof Error ? error.message : ''}`, {
        kind: 'bad',
      });
    }
    setWanted(undefined);
  };
  return (
    <Switch
      isOn={wanted ?? isOn}
      isBusy={wanted !== undefined}
      label={isInTable ? `${label}, ${name}` : label}
      hidesLabel={isInTable}
      onChange={change}
    />
  );
}
