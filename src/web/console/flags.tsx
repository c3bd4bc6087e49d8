import { useState } from 'preact/hooks';
import { Switch } from '../common/button.tsx';
import { reasonOf } from '../common/request.ts';
import { showToast } from '../common/toasts.tsx';
import { nameOf } from './parts.tsx';
import { call } from './session.ts';
import type { Car } from './types.ts';

/** A flag: its name, what a car is when it is off and on, and what switches it. */
export interface Flag {
  flag: 'locked' | 'climate' | 'charging';
  label: string;
  off: string;
  on: string;
  turnOn: string;
  turnOff: string;
}

export const FLAGS: readonly Flag[] = [
  {
    ...{ flag: 'locked', label: 'Locked', off: 'unlocked', on: 'locked' },
    ...{ turnOn: 'Lock', turnOff: 'Unlock' },
  },
  {
    ...{ flag: 'climate', label: 'Climate', off: 'no longer kept warm', on: 'being kept warm' },
    ...{ turnOn: 'Keep warm', turnOff: 'Stop warming' },
  },
  {
    ...{ flag: 'charging', label: 'Charging', off: 'not charging', on: 'charging' },
    ...{ turnOn: 'Charge', turnOff: 'Stop charging' },
  },
];

/** Switches a flag of a car. Throws RequestError. */
export function switchFlag({ vin }: Car, flag: Flag['flag'], to: boolean): Promise<Car> {
  const path = `/api/cars/${encodeURIComponent(vin)}/state`;
  return call<Car>(path, { method: 'PATCH', body: { [flag]: to } });
}

interface FlagSwitchProps {
  car: Car;
  of: Flag;
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
  const name = nameOf(car);
  const change = async (to: boolean, isUndo = false) => {
    setWanted(to);
    try {
      onChange(await switchFlag(car, flag, to));
      showToast(`${name} is ${to ? of.on : of.off}.`, {
        // An undone change needs no undoing: the switch is at hand.
        ...(isUndo ? {} : { action: { words: 'Undo', run: () => void change(!to, true) } }),
      });
    } catch (error) {
      showToast(`${name} could not be switched. ${reasonOf(error)}`, { kind: 'bad' });
    }
    setWanted(undefined);
  };
  return (
    <Switch
      isOn={wanted ?? isOn}
      isBusy={wanted !== undefined}
      label={isInTable ? `${label}, ${name}` : label}
      hidesLabel={isInTable}
      onChange={(to) => change(to)}
    />
  );
}
