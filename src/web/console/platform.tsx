import { Field } from '../common/field.tsx';
import { Pairs } from '../common/pairs.tsx';
import { Failure, ResourceView } from '../common/states.tsx';
import { showToast } from '../common/toasts.tsx';
import { useForm } from './form.ts';
import { count, Page, Refresh, Submit } from './parts.tsx';
import { usePlatformState } from './records.tsx';
import { call, refreshIdentity } from './session.ts';
import { DEMO_LOGINS } from './settings.ts';
import type { PlatformState, Reset } from './types.ts';

const WORD = 'reset';
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** The state of the platform, and the reset to the demo data. */
export function PlatformPage() {
  const state = usePlatformState();
  return (
    <Page
      title="Platform"
      lead="Numbers of records, and the state of the server."
      actions={<Refresh of={state} />}
    >
      <ResourceView resource={state} what="the state of the platform">
        {(known) => (
          <>
            <Pairs kind="figures" pairs={Object.entries(figuresOf(known))} />
            <Pairs kind="figures" pairs={Object.entries(runningOf(known))} />
          </>
        )}
      </ResourceView>
      {DEMO_LOGINS.length > 0 ? <ResetForm onReset={state.reload} /> : null}
    </Page>
  );
}

function figuresOf({ dealers, customers, cars }: PlatformState) {
  return {
    Dealers: dealers,
    Customers: customers,
    Cars: cars.total,
    'In a fleet': cars.in_fleet,
    Owned: cars.owned,
    Locked: cars.locked,
    'Climate on': cars.climate,
    Charging: cars.charging,
  };
}

function runningOf({ worlds, nodes, store, version, uptime_s }: PlatformState) {
  return {
    'Living cities': worlds,
    Nodes: nodes,
    Store: store,
    Version: version,
    'Up for': uptimeOf(uptime_s),
  };
}

function uptimeOf(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h`;
  return count(Math.floor(seconds / DAY_S), 'day');
}

function ResetForm({ onReset }: { onReset: () => void }) {
  const form = useForm({ word: '' }, async ({ word }) => {
    if (word.trim().toLowerCase() !== WORD) throw new Error(`Type “${WORD}” to confirm.`);
    const restored = await call<Reset>('/api/admin/reset', { method: 'POST' });
    const { dealers, customers, cars } = restored;
    await refreshIdentity();
    form.fill({ word: '' });
    onReset();
    const there = [count(dealers, 'dealer'), count(customers, 'customer'), count(cars, 'car')];
    showToast(`The demo data is restored: ${there.join(', ')}.`);
  });
  return (
    <section class="panel danger" aria-labelledby="reset">
      <h2 id="reset">Restore the demo data</h2>
      <p>
        All changes are lost. Dealers, customers, cars and passwords are reset, and everybody except
        you is logged out. Cities are not affected.
      </p>
      <form class="form form-line" {...form.attributes}>
        <Field label={`Type “${WORD}” to confirm`} {...form.field('word')} />
        <Submit form={form} kind="danger">
          Reset everything
        </Submit>
      </form>
      <Failure text={form.failure} />
    </section>
  );
}
