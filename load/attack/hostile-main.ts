/**
 * A hostile process. Its first argument names the attack. It prepares after a first message, tells when
 * it has, and attacks after a second one.
 */
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { systemTime } from '../../src/time.ts';
import { ATTACKS } from './attacks.ts';
import { HostileClient, type Order } from './hostile-client.ts';
import { PREPARED } from './hostile-process.ts';

const REPORT_MS = 250;

const [name = '', order = '', niceness = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
if (!attack) throw new Error(`no attack is called ${name}`);
setPriority(Number(niceness));
const client = new HostileClient(JSON.parse(order) as Order, async () => {
  process.send?.(PREPARED);
  await once(process, 'message');
});
const report = () => process.send?.(client.achieved);

// It never outlives the process that started it.
process.on('disconnect', () => process.exit());
process.once('message', async () => {
  systemTime.every(REPORT_MS, report);
  try {
    await attack.run(client);
  } catch (error) {
    client.achieved.fault = String(error);
  }
  // The end of the process ends all its connections at once.
  process.send?.(client.achieved, () => process.exit());
});
report();
