/** A process that lives through the runs that its parent asks for. */
import { type Job, outcomeOf } from './outcome.ts';

process.on('message', (job: Job) => {
  outcomeOf(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
// Threads of the front end that were never needed would keep it alive.
process.on('disconnect', () => process.exit());
