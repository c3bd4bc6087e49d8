/**
 * What work costs, in µs of processor time of the machine that the targets were set on. An address
 * pays from `limits.work` before the work is done, and pays as much if it fails.
 *
 * Each is the median processor time of the real functions, or of a node per request, for the dearest
 * usual input. `npm run bench -- prices` measures them again and fails if one is off by more than a
 * factor of 2.
 *
 * A GET that answers with up to 64 KiB from memory (features, telemetry, state, catalogue) pays
 * nothing: it takes 9 µs, and to count it would take another 0.5 µs. The server bounds how many it
 * answers in a turn.
 */
export const PRICES_US = {
  /** A tick of a world: by `start_tick`, a journal or a replay. In a re-run of a search it takes 1.4 ×. */
  tick: 3.4,
  /** A byte of a body. The dearest are lists of short values on the dealer platform, if they are broken. */
  parsedByte: 0.07,
  /** A part of a body that arrives in many. */
  bodyPart: 1,
  /** A KiB of an answer of more than 64 KiB that is kept in memory: a map, a file. */
  sentKib: 0.4,
  /** A multipart form, in addition to its bytes. */
  multipart: 100,
  /** What a car perceives, read at the shard and encoded. */
  perception: 100,
  /** The hello of a lockstep stream: records are read, a state is compressed. */
  lockstepHello: 400,
  /** A past state, in addition to the ticks that are lived for it: its place is found, it is encoded. */
  pastState: 350,
  /** A new world: its record is written, its answer built. */
  world: 350,
  /** A change of features, made durable. Many at once cost less. */
  featureChange: 200,
  /** An incident that is read from the store, built and encoded; in the list of a car. */
  incident: 60,
  /** The picture of an incident, drawn on its thread; its replays are paid by the tick. */
  picture: 100_000,
  /** An entry of a journal that is read from the store and encoded. */
  journalChange: 1,
  /** A page of incidents or changes that is kept encoded, some 40 KiB. */
  keptPage: 60,
  /** A car in a list: most have been encoded before. */
  listedCar: 2,
  /** A noted change, read and encoded. */
  auditEntry: 3,
  /** A customer, also in a list: its fields are decrypted. */
  listedCustomer: 70,
  /** A call of the dealer platform. It is free, but a turn of the event loop has room for few. */
  dealerCall: 50,
  /** A change of the dealer platform, made durable. */
  dealerChange: 350,
  /** A record that such a change writes or removes beside the first few: of what moves, or was noted. */
  dealerWrite: 10,
  /** The demo data, written anew. */
  reset: 45_000,
  /** A token of the dealer platform that the node has not verified before; the dearest is a wrong one. */
  token: 100,
  /** A password that is hashed or verified on its thread. */
  password: 12_000,
} as const;
