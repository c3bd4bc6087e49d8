/** A mistake in the command line; its message is for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
