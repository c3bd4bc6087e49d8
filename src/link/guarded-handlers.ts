import type { Log } from '../log.ts';
import type { LinkHandlers } from './contract.ts';
import { PING, pack } from './wire.ts';

/** Handlers whose failure ends neither a connection nor the process: it is logged. */
export function guardedHandlers(handlers: LinkHandlers, log: Log): LinkHandlers {
  const guarded = <Args extends unknown[], Result>(
    name: string,
    handle: (...args: Args) => Result,
  ) => {
    return (...args: Args): Result | undefined => {
      try {
        return handle(...args);
      } catch (error) {
        log.error({ err: error, handler: name }, 'a message of another node failed');
        return undefined;
      }
    };
  };
  return {
    // Its failure is an answer.
    called: (from, kind, value) => handlers.called(from, kind, value),
    noted: guarded('noted', (...args) => handlers.noted(...args)),
    drained: guarded('drained', (to) => handlers.drained(to)),
    clientGone: guarded('clientGone', (client) => handlers.clientGone(client)),
    received: guarded('received', (...args) => handlers.received(...args)),
    pingValue: guarded('pingValue', () => {
      const value = handlers.pingValue();
      // Or else the ping would fail.
      pack([PING, value, null]);
      return value;
    }),
    pinged: guarded('pinged', (...args) => handlers.pinged(...args)),
    up: guarded('up', (process) => handlers.up(process)),
    down: guarded('down', (process) => handlers.down(process)),
  };
}
