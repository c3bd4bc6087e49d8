/** What the dealer platform sends, as generated from its document; and parts by their own names. */
import type { Identity } from '../../../build/api/dealer.d.ts';

export type {
  Admin,
  AuditEntry,
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
