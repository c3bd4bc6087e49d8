/** What the dealer platform sends, as generated from its document; and parts by their own names. */
import type { Car, Identity } from '../../../build/api/dealer.d.ts';

export type {
  Admin,
  Car,
  Customer,
  Dealer,
  DealerRemoval,
  Identity,
  PlatformState,
  Profile,
  Reset,
  Token,
} from '../../../build/api/dealer.d.ts';

export type Role = Identity['role'];
export type Flag = keyof Pick<Car, 'locked' | 'climate' | 'charging'>;
