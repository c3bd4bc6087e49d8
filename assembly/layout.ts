/**
 * The one memory map. The kernel and its host both import this file, so it holds plain numeric
 * constants and nothing else: no types that only one side knows, no functions.
 *
 * Linear memory, sized once at start:
 *
 *   0          16 KiB          64 KiB         (64-byte aligned)
 *   ┌──────────┬────────────────┬──────────────┬────────┬────────┬────────┬─────┐
 *   │ compiler │ DIRECTORY · IN│ city tables, │ slab 0 │ slab 1 │ slab 2 │  …  │
 *   │ statics  │ OUT · TYPES · …│ one a city   │        │        │        │     │
 *   └──────────┴────────────────┴──────────────┴────────┴────────┴────────┴─────┘
 *
 * One slab holds one world:
 *
 *   ┌─ HEADER ─┬─ cars, f64 ─┬─ cars, f32 ──┬─ cars, i32 ───────────┬─ pulses, f64 ─┐
 *   │ seed tick│ x[20] y[20]…│ vx[20] vy[20]…│ lane[20] status[20] … │ x[20] y[20] … │
 *   ├──────────┴┬────────────┴─┬────────────┴─┬──────────────────┬──┴───────────────┘
 *   │ signals   │ hazards      │ tracks       │ events           │ zero up to SLAB_BYTES
 *   │ offset[64]│ 16 × 104 B   │ 2176 B       │ 64 × 32 B        │
 *   └───────────┴──────────────┴──────────────┴──────────────────┘
 *
 * Every offset below is in bytes. Structure of arrays: array k of a group begins at
 * `GROUP + k * stride`, and element i of it at `+ i * element size`.
 */

/** Goes up whenever any number in this file changes its meaning. */
export const LAYOUT_VERSION = 8;

// ── limits ────────────────────────────────────────────────────────────────────────────────────
export const CAR_COUNT = 20;
export const CITY_MAX = 8;
export const JUNCTION_MAX = 64;
export const LANE_MAX = 4096;
export const LIGHT_MAX = 160;
export const HAZARD_MAX = 16;
/** Connectors of one junction: a conflict mask is one u32. */
export const CONNECTOR_MAX = 32;
/** Sixty are public; the ring is the next power of two. */
export const EVENT_RING = 64;
/**
 * A contact is recorded only if one of its cars has no other record of that tick, and a car has one
 * pulse at a time, so a tick has at most one record of each kind a car; `step` returns after a tick
 * that had any, so the ring never laps its reader.
 */
export const CONTACT_RING = 2 * CAR_COUNT;
export const TICK_MS = 20;
/** s; a literal, because integers divide differently in the two languages that read this file. */
export const TICK_S = 0.02;
export const TICKS_PER_S = 50;
/** Every so many ticks all cars perceive and decide, and the host publishes a frame. */
export const FRAME_TICKS = 4;
/** A contact that comes sooner after one of either party belongs to the same chain (2 s). */
export const CHAIN_TICKS = 100;
/** A crash pulse: what contacts do to a car within so many ticks from the first of them (200 ms). */
export const PULSE_TICKS = 10;

// ── fixed addresses ───────────────────────────────────────────────────────────────────────────
/** u32[CITY_MAX]: address of each city's table. Kept clear of address 0 and of static memory. */
export const DIRECTORY = 16384;
/** i32[CAR_COUNT] each: types and declared masks of the cars, from the host to `create`. */
export const IN_TYPES = DIRECTORY + 256;
export const IN_MASKS = IN_TYPES + 128;
/** i32[OUT_LENGTH]: the packed state, from `pack` to the host, see O_ below. */
export const OUT = IN_MASKS + 128;
/** Parameters of each car type, see CT_ below. */
export const CAR_TYPES = 20480;
export const CAR_TYPE_MAX = 8;
export const CAR_TYPE_BYTES = 160;
export const CT_LENGTH = 0; // f64 m
export const CT_WIDTH = 8; // f64 m
export const CT_MASS = 16; // f64 kg
export const CT_WHEELBASE = 24; // f64 m
export const CT_REAR = 32; // f64 m from the centre of gravity back to the rear axle
export const CT_FRONT = 40; // f64 m from the centre of gravity forward to the front axle
export const CT_INERTIA = 48; // f64 kg m², yaw
export const CT_HEIGHT = 56; // f64 m, centre of gravity over the road
export const CT_CENTRE = 64; // f64 m from the centre of gravity forward to the middle of the body
export const CT_STIFFNESS_FRONT = 72; // f64 1/rad: cornering stiffness ÷ (friction × axle load)
export const CT_STIFFNESS_REAR = 80; // f64 1/rad
export const CT_DRIVE_FRONT = 88; // f64 share of the drive force on the front axle: 1 or 0
export const CT_BRAKE_FRONT = 96; // f64 share of the brake force on the front axle
export const CT_PER_MASS = 104; // f64 1/kg
export const CT_PER_INERTIA = 112; // f64 1/(kg m²)
export const CT_PER_WHEELBASE = 120; // f64 1/m
/** f64 s²/m on a road of friction 1: (1/front − 1/rear stiffness) ÷ g */
export const CT_UNDERSTEER = 128;
/** Scratch memory, written and read within one tick: its contents before that have no meaning. */
export const SIGHT = 21760; // rays and occluders of one sensor and one object, see sight.ts
export const SCRATCH = 24576;
export const OCCUPIED = SCRATCH + 1024; // u32[LANE_MAX]: mask of the cars on each lane
export const BUSY = OCCUPIED + LANE_MAX * 4; // u32[JUNCTION_MAX]: mask of the cars in each junction
export const ASTRAY = BUSY + JUNCTION_MAX * 4; // u32, mask of the cars that are not on their lanes
export const PREFETCHED = ASTRAY + 4; // u32, sum that keeps the reads of prefetch.ts alive
/** Objects of this scan, see objects.ts: OBJECT_MAX records. */
export const OBJECTS = 43008;
/** The way that a car is about to go, see own-path.ts. */
export const OWN_PATH = 46464;
/** Rows of a number for each car, see substeps.ts and type-rows.ts. */
export const DYNAMICS = 49152;
/** The contacts and pulses of the last step that had any, see K_ below. */
export const CONTACTS = 53248;
/**
 * What the sensors of each car report, see TG_ below: i32[CAR_COUNT] counts, then TARGET_MAX
 * records a car.
 */
export const TARGET_COUNTS = 62848;
export const TARGETS = 62976;
export const TARGET_MAX = 12;
export const TARGET_BYTES = 96;
/** Columns of the objects near the car that scans, see near-objects.ts. */
export const NEAR_OBJECTS = 86016;
/** i32[120]: the cells of the grid of blocks on a line, see grid-walk.ts. */
export const WALKED_CELLS = 87488;
/** What each car's intersection assist yields to, see functions/intersection-assist.ts. */
export const CROSSINGS = 88320;
export const CITY_BASE = 91392;
export const SLAB_ALIGN = 64;

// ── slab ──────────────────────────────────────────────────────────────────────────────────────
export const HEADER = 0;
export const H_VERSION = 0; // u32
export const H_CITY = 4; // u32, index in the directory
export const H_SEED = 8; // u64
export const H_TICK = 16; // u32
/** u32, events ever raised; the next goes to slot count % EVENT_RING */
export const H_EVENT_COUNT = 20;
/** u32, records of contacts and pulses ever; the next goes to slot count % CONTACT_RING */
export const H_CONTACT_COUNT = 24;
export const H_CONTACT_TICK = 28; // u32, tick of the last record
export const H_CONTACT_ORDER = 32; // u32, its number within that tick
// Masks of cars, u32, as of the last frame:
export const H_PAST_LINE = 36; // on a connector, or with the front well beyond the line before one
export const H_LEFT_LANE = 40; // outside the lane
export const H_STALLED = 44; // stalled, and told so
// Masks of cars, u32, as of the last tick:
export const H_STRANDED = 48; // out of the traffic without a crash
export const H_PULSES = 52; // in a crash pulse
export const H_RECORDED = 56; // of these: pushed by a contact that has a record
export const H_PUSHED = 60; // of these: pushed by a contact that has none
export const H_ZONES = 64; // u32 mask of the zones that count, as of the last frame
export const HEADER_BYTES = 128;

export const CARS = HEADER + HEADER_BYTES;
export const CAR_F64 = CAR_COUNT * 8;
export const C_X = CARS + 0 * CAR_F64; // m east, centre of gravity
export const C_Y = CARS + 1 * CAR_F64; // m north
export const C_HX = CARS + 2 * CAR_F64; // heading, unit vector
export const C_HY = CARS + 3 * CAR_F64;
export const C_STATION = CARS + 4 * CAR_F64; // m along the lane

/** Rows of f32: from here to CARS_I32. */
export const CARS_F32 = CARS + 5 * CAR_F64;
export const CAR_F32 = CAR_COUNT * 4;
export const C_VX = CARS_F32 + 0 * CAR_F32; // m/s forward
export const C_VY = CARS_F32 + 1 * CAR_F32; // m/s to the left
export const C_YAW_RATE = CARS_F32 + 2 * CAR_F32; // rad/s, counter-clockwise
export const C_STEER = CARS_F32 + 3 * CAR_F32; // rad at the road wheels
export const C_ACCEL = CARS_F32 + 4 * CAR_F32; // m/s² forward, as driven
export const C_OFFSET = CARS_F32 + 5 * CAR_F32; // m left of the lane centre
export const C_GAP = CARS_F32 + 6 * CAR_F32; // m to the vehicle ahead as measured, −1 where none
export const C_STEER_TARGET = CARS_F32 + 7 * CAR_F32; // rad
export const C_ACCEL_TARGET = CARS_F32 + 8 * CAR_F32; // m/s²
export const C_SPEED_FACTOR = CARS_F32 + 9 * CAR_F32; // own pace, × the speed limit
export const C_HEADWAY = CARS_F32 + 10 * CAR_F32; // s
export const C_STANDSTILL_GAP = CARS_F32 + 11 * CAR_F32; // m
export const C_ACCEL_COMFORT = CARS_F32 + 12 * CAR_F32; // m/s²
export const C_DECEL_COMFORT = CARS_F32 + 13 * CAR_F32; // m/s²
export const C_LEAD_SPEED = CARS_F32 + 14 * CAR_F32; // m/s, of the vehicle that GAP is to
/** m/s², drive force ÷ mass, or engine drag where negative */
export const C_DRIVE = CARS_F32 + 15 * CAR_F32;
/** m/s², brake force ÷ mass that the pedals have built up */
export const C_BRAKE = CARS_F32 + 16 * CAR_F32;
/** m/s², low-passed acceleration that shifts load between the axles */
export const C_LOAD_ACCEL = CARS_F32 + 17 * CAR_F32;
export const C_FRICTION_FRONT = CARS_F32 + 18 * CAR_F32; // peak friction under the front axle
export const C_FRICTION_REAR = CARS_F32 + 19 * CAR_F32;
/** m/s², decided every few ticks; ACCEL_TARGET follows it */
export const C_ACCEL_WANTED = CARS_F32 + 20 * CAR_F32;
export const C_BRAKE_TICKS = CARS_F32 + 21 * CAR_F32; // ticks for which the brakes have been asked for
/** m/s², deceleration that emergency functions demand, 0 none */
export const C_EMERGENCY = CARS_F32 + 22 * CAR_F32;
/** m left of the lane centre, where evasive steering ends */
export const C_EVADE_OFFSET = CARS_F32 + 23 * CAR_F32;
export const C_EVADE_FROM = CARS_F32 + 24 * CAR_F32; // m left of the lane centre, where it began
export const C_EVADE_S = CARS_F32 + 25 * CAR_F32; // s, duration of the change of offset
export const C_YAW_REFERENCE = CARS_F32 + 26 * CAR_F32; // rad/s, of stability control, low-passed
export const C_YAW_MOMENT = CARS_F32 + 27 * CAR_F32; // rad/s², yaw moment ÷ inertia that it brakes up
/** m/s², brake force ÷ mass that it adds to the front axle */
export const C_ESC_BRAKE_FRONT = CARS_F32 + 28 * CAR_F32;
export const C_ESC_BRAKE_REAR = CARS_F32 + 29 * CAR_F32; // m/s², to the rear axle
/** m/s² by which gravity drives it forward, 0 on a level road */
export const C_SLOPE = CARS_F32 + 30 * CAR_F32;

export const CARS_I32 = CARS_F32 + 31 * CAR_F32;
export const CAR_I32 = CAR_COUNT * 4;
export const C_TYPE = CARS_I32 + 0 * CAR_I32;
export const C_ROUTE_INDEX = CARS_I32 + 1 * CAR_I32; // position of the lane in the route
export const C_LANE = CARS_I32 + 2 * CAR_I32;
export const C_STATUS = CARS_I32 + 3 * CAR_I32; // STATUS_
export const C_DECLARED = CARS_I32 + 4 * CAR_I32; // feature mask
export const C_EFFECTIVE = CARS_I32 + 5 * CAR_I32; // feature mask
export const C_FLAGS = CARS_I32 + 6 * CAR_I32; // FLAG_
export const C_CLAIM = CARS_I32 + 7 * CAR_I32; // connector this car may use or is on, −1 none
/** Tick since which it asks for its connector or has it; 0 neither; ahead: from when it may ask. */
export const C_WAIT_TICK = CARS_I32 + 8 * CAR_I32;
/** tick of the crash or of losing the lane, 0 none */
export const C_HALT_TICK = CARS_I32 + 9 * CAR_I32;
/** decision about the light ahead, CHOICE_ */
export const C_LIGHT_CHOICE = CARS_I32 + 10 * CAR_I32;
/** tick since which it stands at its line, 0 not */
export const C_STOOD_TICK = CARS_I32 + 11 * CAR_I32;
/** tick of the last contact with a record, 0 none */
export const C_CONTACT_TICK = CARS_I32 + 12 * CAR_I32;
/** tick and order of the first contact of the chain */
export const C_CHAIN_TICK = CARS_I32 + 13 * CAR_I32;
export const C_CHAIN_ORDER = CARS_I32 + 14 * CAR_I32;
/** mask of the later cars that it may touch soon, and NEAR_BLOCKS */
export const C_NEAR = CARS_I32 + 15 * CAR_I32;
export const NEAR_BLOCKS = 1 << CAR_COUNT; // bit of the blocks beside the road
/** tick at which evasive steering began, 0 not at it */
export const C_EVADE_TICK = CARS_I32 + 16 * CAR_I32;
export const C_AEB_STAGE = CARS_I32 + 17 * CAR_I32; // AEB_
/** tick since which it holds the car after a stop, 0 not */
export const C_AEB_TICK = CARS_I32 + 18 * CAR_I32;
export const C_ANIMAL_STAGE = CARS_I32 + 19 * CAR_I32; // AEB_, of animal detection
export const C_ASSIST_STAGE = CARS_I32 + 20 * CAR_I32; // AEB_, of intersection assist
/** ESC_TICKS while stability control intervenes, then counts down to 0 */
export const C_ESC_ACTIVE = CARS_I32 + 21 * CAR_I32;
/** features that made a difference since this was last cleared */
export const C_ACTED = CARS_I32 + 22 * CAR_I32;
/** 1 while its path through a junction is unexpected: only the car itself counts with its claim. */
export const C_UNANNOUNCED = CARS_I32 + 23 * CAR_I32;
export const C_STILL_TICK = CARS_I32 + 24 * CAR_I32; // tick since which it stands, 0 not
/** tick since which it stood although it wanted to go, 0 not */
export const C_STALL_TICK = CARS_I32 + 25 * CAR_I32;
/**
 * A crossing object that went out of sight: object, SEEN_ << 8, scans until it will be past << 16;
 * 0 none.
 */
export const C_CROSSING = CARS_I32 + 26 * CAR_I32;
/** f32 m along the connector where that crosses it */
export const C_CROSSING_STATION = CARS_I32 + 27 * CAR_I32;
/**
 * What it nearly touches: object << 16, frames since it was that near << 8, least clearance in cm;
 * 0 nothing.
 */
export const C_NEAR_MISS = CARS_I32 + 28 * CAR_I32;
/** What happens to a car that is out of the traffic: its place beside the road << 8, TOW_ */
export const C_TOW = CARS_I32 + 29 * CAR_I32;
export const C_TOW_TICK = CARS_I32 + 30 * CAR_I32; // tick at which that began
/** The last crash: CRASH_ALIKE, kind of contact + 1 << 12, declared mask; 0 none */
export const C_CRASH = CARS_I32 + 31 * CAR_I32;
export const C_CRASH_TICK = CARS_I32 + 32 * CAR_I32;
export const C_RETURNS = CARS_I32 + 33 * CAR_I32; // times that it was ever put back
export const C_PULSE_TICK = CARS_I32 + 34 * CAR_I32; // u32, tick at which the last pulse began
/** f32: where the greatest push of the pulse met the car, see P_IMPACT_X */
export const C_PULSE_IMPACT_X = CARS_I32 + 35 * CAR_I32;
export const C_PULSE_IMPACT_Y = CARS_I32 + 36 * CAR_I32;
export const C_PULSE_PEAK = CARS_I32 + 37 * CAR_I32; // f32 m/s, the greatest push of the pulse
export const CAR_I32_ARRAYS = 38;

/** Rows of f64 that are needed in a crash pulse alone. */
export const CARS_PULSES = CARS_I32 + CAR_I32_ARRAYS * CAR_I32;
/** m/s east and north, sum of the changes of velocity in the last crash pulse */
export const C_PULSE_X = CARS_PULSES + 0 * CAR_F64;
export const C_PULSE_Y = CARS_PULSES + 1 * CAR_F64;
/** m/s, its greatest sum in the incident, of the pulses that are over */
export const C_PULSE_GREATEST = CARS_PULSES + 2 * CAR_F64;
/** J of deformation that no record has told: half of what two cars share */
export const C_PULSE_ENERGY = CARS_PULSES + 3 * CAR_F64;

export const SIGNALS = CARS_PULSES + 4 * CAR_F64; // u32[JUNCTION_MAX], ticks of offset
export const HAZARDS = SIGNALS + JUNCTION_MAX * 4;
/** Each spot's state in the world: its actor. */
export const HAZARD_BYTES = 104;
export const A_X = 0; // f64 m, middle of its box
export const A_Y = 8; // f64 m
export const A_HX = 16; // f64 heading, unit vector
export const A_HY = 24;
export const A_SPEED = 32; // f64 m/s along its heading
export const A_STATION = 40; // f64 m along its path
export const A_ACCEL = 48; // f64 m/s²
export const A_STATE = 56; // i32 ACTOR_
export const A_CAR = 60; // i32, the car that it was sent for, −1 none
export const A_SINCE = 64; // u32, tick since which it is in this state
export const A_ARMED = 68; // u32, tick from which on it may be sent again
export const A_STRUCK = 72; // u32 mask of the cars that it has touched since it was sent
export const A_WAIT = 76; // u32, tick at which it sets off; at an icy bend 1 while there is ice
export const A_CRUISE = 80; // f64 m/s that it wants to drive, walk or run
export const A_SENT = 88; // u32, times that it was ever sent
export const A_PIECE = 92; // i32, piece of its path that it is on
export const A_NEAR = 96; // u32 mask of the cars that it may touch before the next update
/** f32 m, nothing sees it over a crest from farther: the flatter it is, the nearer */
export const A_SIGHT = 100;

/**
 * u8[CAR_COUNT][SENSOR_COUNT][OBJECT_MAX]: how well each sensor knows each object, see tracks.ts.
 */
export const TRACK_SCANS = 7; // mask of the scans that saw it
export const TRACK_MOVED = 8; // bit: it was ever seen to move
export const TRACK_MISSED_SHIFT = 4; // scans since it was last seen
/**
 * Scans that confirm an object. A radar takes longer for standing objects: they may be manhole
 * covers.
 */
export const CONFIRM_SCANS = 4;
export const CONFIRM_STANDING_SCANS = 5;
export const TRACKS = HAZARDS + HAZARD_MAX * HAZARD_BYTES;
export const SENSOR_COUNT = 3;
/** Objects that sensors tell apart: the cars, then the actors of the spots. */
export const OBJECT_MAX = CAR_COUNT + HAZARD_MAX;
export const TRACKS_BYTES = CAR_COUNT * SENSOR_COUNT * OBJECT_MAX;

export const EVENTS = TRACKS + 2176;
export const EVENT_BYTES = 32;
export const E_SEQ = 0; // u32, from 1
export const E_TICK = 4; // u32
export const E_KIND = 8; // i32, EVENT_
export const E_CAR = 12; // i32, −1 none
export const E_FEATURE = 16; // i32, −1 none; collision: tick of the chain's first contact
export const E_HAZARD = 20; // i32, −1 none
/**
 * i32: configuration 1 on, 0 off; collision: order of the chain's first contact; from
 * EVENT_RED_LIGHT on: how often it has happened again << 16, and a distance in cm
 */
export const E_ARG = 24;
/** i32: collision, near miss: the other car, −1 none, OTHER_ACTOR the actor of the spot */
export const E_OTHER = 28;

/** A record of a contact; or of a pulse, which has one party and nothing of K_BLOCK to K_STRIKING. */
export const CONTACT_BYTES = 240;
export const K_TICK = 0; // u32; of a pulse: its last tick
export const K_ORDER = 4; // u32, number of the record within the tick, from 0
export const K_KIND = 8; // i32, CONTACT_
export const K_BLOCK = 12; // i32, block index, −1 none
export const K_X = 16; // f64 m, point of contact
export const K_Y = 24; // f64 m
export const K_CLOSING = 32; // f64 m/s, along the contact normal
export const K_STRIKING = 40; // i32: 0 the first party's own motion closed the gap, 1 the second's
/** u32, tick of the first contact of the chain that this one belongs to */
export const K_CHAIN_TICK = 44;
export const K_ENERGY = 48; // f64 J, turned into deformation; of a pulse: see C_PULSE_ENERGY
export const K_CHAIN_ORDER = 56; // u32, number of that contact within its tick
export const K_HAZARD = 60; // i32, spot whose actor or body was touched, −1 none
export const K_IMPULSE_X = 64; // f64 N s, on the first party; the second gets the opposite
export const K_IMPULSE_Y = 72;
export const K_PARTY = 80; // two parties
export const PARTY_BYTES = 80;
export const P_CAR = 0; // i32, −1 if the party is no car of the fleet
export const P_DECLARED = 4; // i32 feature mask
export const P_EFFECTIVE = 8; // i32 feature mask
export const P_TYPE = 12; // i32
export const P_SPEED = 16; // f64 m/s before contact
export const P_DELTA_V = 24; // f64 m/s; of a car: in its pulse until then
export const P_HX = 32; // f64 heading before contact
export const P_HY = 40;
/**
 * f64 unit vector in the car's own axes, from its centre to the contact; of a car: to the one that
 * changed its velocity most in its pulse until then
 */
export const P_IMPACT_X = 48;
export const P_IMPACT_Y = 56;
export const P_MASS = 64; // f64 kg
export const P_PULSE_TICK = 72; // u32, tick at which the car's pulse began

export const SLAB_USED = EVENTS + EVENT_RING * EVENT_BYTES;
export const SLAB_BYTES = 13248;

// ── enumerations ──────────────────────────────────────────────────────────────────────────────
export const STATUS_DRIVING = 0;
export const STATUS_STOPPED = 1;
export const STATUS_CRASHED = 2;

/** In the traffic, or left where it came to rest. */
export const TOW_NONE = 0;
/** Pulled to the roadside, and standing there. */
export const TOW_ASIDE = 1;
export const TOW_PARKED = 2;
/** Beside its own way again: waiting, and pulling out into its lane. */
export const TOW_BACK = 3;
export const TOW_PULLS_OUT = 4;

/** In C_CRASH: the second of its kind within two minutes. */
export const CRASH_ALIKE = 1 << 16;

export const FLAG_BRAKING = 1;
export const FLAG_AEB = 2;
export const FLAG_ESC = 4;
export const FLAG_EVASIVE = 8;

export const CHOICE_NONE = 0;
export const CHOICE_GO = 1;
export const CHOICE_STOP = 2;

export const LIGHT_RED = 0;
export const LIGHT_RED_AMBER = 1;
export const LIGHT_AMBER = 2;
export const LIGHT_GREEN = 3;

export const EVENT_HAZARD = 0;
export const EVENT_INTERVENTION = 1;
export const EVENT_CONFIGURATION = 2;
export const EVENT_COLLISION = 3;
// Consequences short of a collision.
export const EVENT_RED_LIGHT = 4;
export const EVENT_LANE_LEFT = 5;
export const EVENT_NOT_YIELDED = 6;
export const EVENT_NEAR_MISS = 7;
export const EVENT_STALLED = 8;
export const EVENT_TOWED = 9;
export const EVENT_WAITS = 10;

/** In E_OTHER: neither a car nor something built. */
export const OTHER_ACTOR = -2;

export const CONTACT_VEHICLE = 0;
export const CONTACT_PERSON = 1;
export const CONTACT_ANIMAL = 2;
export const CONTACT_OBSTACLE = 3;
export const CONTACT_BUILDING = 4;
/** No contact, but the end of a crash pulse in which contacts without a record pushed a car. */
export const CONTACT_PULSE = 5;

/** Feature bits, in the order of the public catalogue. */
export const F_STEERING = 1;
export const F_BRAKES = 2;
export const F_THROTTLE = 4;
export const F_FRONT_CAMERA = 8;
export const F_FRONT_RADAR = 16;
export const F_CORNER_RADARS = 32;
export const F_AEB = 64;
export const F_ANIMAL_DETECTION = 128;
export const F_EVASIVE_STEERING = 256;
export const F_TRAFFIC_LIGHT_RECOGNITION = 512;
export const F_INTERSECTION_ASSIST = 1024;
export const F_ESC = 2048;
export const F_ALL = 4095;
export const F_ACTUATORS_AND_SENSORS = 63;
export const FEATURE_COUNT = 12;

// ── packed snapshot, i32 each ─────────────────────────────────────────────────────────────────
export const O_TICK = 0;
export const O_LIGHTS = 1; // count
export const O_HAZARDS = 2; // count
export const O_CARS = 8;
export const OC_X = 0; // cm, middle of the body
export const OC_Y = 1; // cm
export const OC_HEADING = 2; // 1e-4 rad, in (−π, π]
export const OC_SPEED = 3; // cm/s
export const OC_PLACE = 4; // road index, or −1 − junction index
export const OC_GAP = 5; // cm, −1 where none
export const OC_FLAGS = 6; // FLAG_
export const OC_STATUS = 7; // STATUS_
export const OC_ACCEL = 8; // cm/s²
export const OC_STEER = 9; // 1e-4 rad
export const OC_LANE = 10; // lane index
export const OC_STRIDE = 12;
export const O_LIGHT = O_CARS + CAR_COUNT * OC_STRIDE;
export const O_HAZARD = O_LIGHT + LIGHT_MAX;
export const OH_ACTIVE = 0; // 0 or 1
export const OH_X = 1; // cm
export const OH_Y = 2; // cm
export const OH_HEADING = 3; // 1e-4 rad
export const OH_LENGTH = 4; // cm
export const OH_WIDTH = 5; // cm
export const OH_STRIDE = 6;
export const OUT_LENGTH = O_HAZARD + HAZARD_MAX * OH_STRIDE;

// ── city table: i32 header, then records; every T_ offset is from the table's own address ────
export const T_LANE_COUNT = 0;
export const T_LANES = 4; // always T_HEADER_BYTES: lanes come first
export const T_POINTS = 8;
export const T_JUNCTION_COUNT = 12;
export const T_JUNCTIONS = 16;
export const T_ROUTES = 20; // i32[CAR_COUNT][2]: first entry in ROUTE_LANES, count
export const T_ROUTE_LANES = 24; // ROUTE_LANE_BYTES each
export const T_BLOCK_COUNT = 28;
export const T_BLOCKS = 32;
export const T_LIGHT_COUNT = 36;
export const T_LIGHTS = 40;
export const T_HAZARD_COUNT = 44;
export const T_HAZARDS = 48;
export const T_ZONE_COUNT = 52;
export const T_ZONES = 56;
export const T_CONFLICTS = 60;
export const T_PATHS = 64; // points of the actors' paths
export const T_GRID = 68; // which blocks are near, see GR_
export const T_GRID_BOXES = 72; // of each entry of the grid's list, see GB_
export const T_ROADSIDE_COUNT = 76;
/**
 * Places beside the road, by lane and station; after these, refuges: where a car is only pulled to if no
 * place is free, because it is in the way of a hazard or near the end of a lane.
 */
export const T_ROADSIDE = 80;
export const T_REFUGE_COUNT = 84;
export const T_HEADER_BYTES = 128;

/** A lane of a route. */
export const ROUTE_LANE_BYTES = 8;
export const RL_LANE = 0; // i32
export const RL_EXIT_SPEED = 4; // f32 m/s at its end, slow enough for the rest of the route

/** Two cache lines: what is read most often is in the first one. */
export const LANE_BYTES = 128;
export const L_POINT_FIRST = 0; // i32, index in POINTS
export const L_POINT_COUNT = 4; // i32
export const L_JUNCTION = 8; // i32, −1 for a lane of a road
export const L_CONNECTOR = 12; // i32, its bit in conflict masks, −1 for a lane of a road
export const L_CONFLICTS = 16; // u32, connectors of the same junction that it crosses or meets
export const L_LIGHT = 20; // i32, the light that a connector's traffic obeys, −1 none
/** u32, those of the conflicting connectors that have right of way over it */
export const L_YIELDS = 24;
export const L_ZONES = 28; // u32, zones that it comes near
export const L_LENGTH = 32; // f64 m
export const L_SPACING = 40; // f64 m between points
export const L_POINTS_PER_M = 48; // f64 1/m, 1 ÷ spacing
/** f32 m, from where to where a car on it may have an axle on less friction than a dry road has; −1 nowhere */
export const L_SLIP_FROM = 56;
export const L_SLIP_TO = 60;
export const L_SPEED_LIMIT = 64; // f64 m/s
export const L_HALF_WIDTH = 72; // f64 m
export const L_ROAD = 80; // i32, −1 for a connector
export const L_MUST_STOP = 84; // i32, 1 where a stop sign stands before the connector
/** i32, index of its first record in CONFLICTS, one for each bit of the mask */
export const L_CONFLICT_FIRST = 88;
export const L_GRADE = 92; // f32, rise over way of a part of the lane, 0 where all of it is level
export const L_GRADE_FROM = 96; // f32 m, where that part begins
export const L_GRADE_TO = 100; // f32 m
/** f32 m, from where to where a car on it may be in any zone; −1 nowhere */
export const L_ZONE_FROM = 104;
export const L_ZONE_TO = 108;

/** Where along a connector another one is too close for two cars; the two have a record each. */
export const CONFLICT_BYTES = 8;
export const CF_FROM = 0; // f32 m
export const CF_TO = 4; // f32 m

/** The centre line at equal steps, f32 each. */
export const POINT_BYTES = 32;
export const PT_X = 0; // m
export const PT_Y = 4; // m
export const PT_TX = 8; // tangent, unit vector
export const PT_TY = 12;
export const PT_CURVATURE = 16; // 1/m, left positive
/** m/s: limit and bends of the lane from here on, with room to brake for them */
export const PT_SPEED = 20;
/** m from here on for which a straight line to another point stands for the lane */
export const PT_RUN = 24;
export const PT_OPEN = 28; // m straight ahead from here without a solid block, see VIEW_
/** Strip in which the open view is searched for blocks: its sides and its length, m. */
export const VIEW_LEFT_M = 7.5;
export const VIEW_RIGHT_M = 4.5;
export const VIEW_M = 130;

export const JUNCTION_BYTES = 32;
export const J_CYCLE = 0; // i32 ticks of its signal cycle, 0 without signals

export const LIGHT_BYTES = 32;
export const LT_JUNCTION = 0; // i32
export const LT_GREEN_FROM = 4; // i32 tick in the cycle
export const LT_GREEN = 8; // i32 ticks
export const LT_AMBER = 12; // i32 ticks
export const LT_RED_AMBER = 16; // i32 ticks, before green

/** A convex polygon, counter-clockwise, of at most eight corners, with its bounding box. */
export const BLOCK_BYTES = 176;
export const BLOCK_CORNERS_MAX = 8;
export const B_MIN_X = 0; // f64 m
export const B_MIN_Y = 8;
export const B_MAX_X = 16;
export const B_MAX_Y = 24;
export const B_CORNERS = 32; // i32
export const B_SOLID = 36; // i32, 1 where cars cannot drive
export const B_CORNER = 40; // f64 pairs
export const B_HAZARD = 168; // i32, spot that it belongs to, −1 for blocks of the city

/**
 * Square cells of a city, row by row from the south-west. The blocks of cell c are `list[first[c]]`
 * to `list[first[c + 1] − 1]` in ascending order; `first` begins at GR_FIRST, and `list`, u16,
 * right behind its last entry. A cell lists the solid blocks whose bounding box is within
 * GRID_REACH_M of it.
 */
export const GRID_CELL_M = 20;
export const GRID_REACH_M = 6.5;
export const GR_MIN_X = 0; // f64 m
export const GR_MIN_Y = 8; // f64 m
export const GR_COLUMNS = 16; // i32
export const GR_ROWS = 20; // i32
export const GR_FIRST = 24; // u32[columns × rows + 1]

/**
 * Boxes slightly larger than the bounding boxes of blocks. They are adjacent in memory and rule
 * most blocks out.
 */
export const GRID_BOX_BYTES = 16;
export const GB_X = 0; // f32 m, middle
export const GB_Y = 4;
export const GB_HALF_X = 8; // f32 m
export const GB_HALF_Y = 12;

/** A place beside the road at which a car stands out of the way of all traffic. */
export const ROADSIDE_BYTES = 24;
export const RS_LANE = 0; // i32
export const RS_STATION = 4; // f32 m along the lane
export const RS_X = 8; // f32 m, middle of the body
export const RS_Y = 12; // f32 m
export const RS_HX = 16; // f32 heading, unit vector
export const RS_HY = 20; // f32

/** A convex polygon like a block's. */
export const ZONE_BYTES = 184;
export const Z_MIN_X = 0; // f64 m
export const Z_MIN_Y = 8;
export const Z_MAX_X = 16;
export const Z_MAX_Y = 24;
export const Z_CORNERS = 32; // i32
export const Z_KIND = 36; // i32 ZONE_
export const Z_CORNER = 40; // f64 pairs, at most BLOCK_CORNERS_MAX
export const Z_FRICTION = 168; // f64, peak friction of the road in it
/** Peak friction of dry asphalt (Bosch Automotive Handbook). */
export const DRY_FRICTION = 0.95;
/** Offset from its lane up to which a car is in no zone outside the ranges of the lane, m. */
export const ZONE_OFFSET_M = 5;
export const Z_SPOT = 176; // i32, spot with which it comes and goes, −1 if it always counts
export const ZONE_MAX = 32;

/** A spot where something may happen. */
export const HAZARD_SPOT_BYTES = 192;
export const HS_X = 0; // f64 m, conflict point
export const HS_Y = 8; // f64 m
export const HS_KIND = 16; // i32 HAZARD_
export const HS_LANE_COUNT = 20; // i32, lanes by which a car comes, in order, at most HS_LANE_MAX
export const HS_LANES = 24; // i32[HS_LANE_MAX]
export const HS_LANE_MAX = 4;
export const HS_PATH_FIRST = 40; // i32, index of the actor's path in PATHS
export const HS_PATH_COUNT = 44; // i32 points, 0 where the actor stands
export const HS_STATION = 48; // f64 m, conflict point along the last of the lanes
export const HS_ACTOR_STATION = 56; // f64 m, conflict point along the actor's path
export const HS_ACTOR_LENGTH = 64; // f64 m, of the actor's path
export const HS_START_X = 72; // f64 m, middle of the actor as it stands or waits
export const HS_START_Y = 80;
export const HS_START_HX = 88;
export const HS_START_HY = 96;
export const HS_BODY_LENGTH = 104; // f64 m, of the actor's box
export const HS_BODY_WIDTH = 112; // f64 m
export const HS_MASS = 120; // f64 kg
export const HS_INERTIA = 128; // f64 kg m²
export const HS_CLASS = 136; // i32 CONTACT_ that touching the actor is
export const HS_SIGHT = 144; // f64 m, greatest range of cameras for the actor, 0 no limit
export const HS_GRADE = 152; // f64, rise of the road over the way
export const HS_SPEED = 160; // f64 m/s, that the actor wants to drive, walk or run
export const HS_LIGHT = 168; // i32, the light that the actor's way obeys, −1 none

/** Points of the actors' paths. */
export const PATH_POINT_BYTES = 24;
export const PP_X = 0; // f64 m
export const PP_Y = 8; // f64 m
export const PP_STATION = 16; // f64 m along the path

// ── what sensors report: one record per target, written and used within one scan ───────────────
export const TG_OBJECT = 0; // i32, car, or CAR_COUNT + spot
export const TG_SENSORS = 4; // i32 SEEN_, the sensors that have confirmed it
/** i32 CONTACT_, known where a camera has confirmed it, else CONTACT_VEHICLE */
export const TG_CLASS = 8;
export const TG_X = 16; // f64 m ahead of the own centre of gravity, middle of its box
export const TG_Y = 24; // f64 m to the left
export const TG_HX = 32; // f64 heading in the own axes, unit vector
export const TG_HY = 40;
export const TG_VX = 48; // f64 m/s over ground, in the own axes
export const TG_VY = 56;
export const TG_HALF_LENGTH = 64; // f64 m
export const TG_HALF_WIDTH = 72;
export const TG_ACCEL = 80; // f64 m/s², along its heading
/**
 * f32 m along the own path from the front bumper to where the box reaches into the corridor, which
 * is CORRIDOR_MARGIN_M wider than the car on each side. −1 if it does not, or is further than
 * own-path.ts reaches. TG_PATH_OPEN if no function needs to know unless another one acts.
 */
export const TG_PATH = 88;
export const TG_PATH_OPEN = -2;

export const SEEN_CAMERA = 1;
export const SEEN_RADAR = 2;
export const SEEN_CORNERS = 4;

export const ZONE_ICE = 0;
export const ZONE_WET = 1;
export const ZONE_FOG = 2;
export const ZONE_DUSK = 3;

export const ACTOR_WAITS = 0;
export const ACTOR_ACTS = 1;
export const ACTOR_STANDS = 2;
/** On the rest of its way, or at the end of it, where it stays until nobody sees it. */
export const ACTOR_LEAVES = 3;
/** Carried off the road to the end of its way. */
export const ACTOR_CARRIED = 4;

/** An intervention of stability control so soon after another one is the same (2 s). */
export const ESC_TICKS = 100;

export const AEB_NONE = 0;
export const AEB_WARN = 1;
/** Slows gently for a person or an animal that is seen in time. */
export const AEB_EASES = 2;
export const AEB_PARTIAL = 3;
export const AEB_FULL = 4;

/** Kinds of hazard spots, in the order of `HAZARD_KINDS`. */
export const HAZARD_PARKED_ROW_CHILD = 0;
export const HAZARD_SUDDEN_STOP = 1;
export const HAZARD_FOG_STALL = 2;
export const HAZARD_DEER_CROSSING = 3;
export const HAZARD_RED_LIGHT_LORRY = 4;
export const HAZARD_BLIND_CROSSING = 5;
export const HAZARD_LEFT_TURN_ONCOMING = 6;
export const HAZARD_WET_CREST = 7;
export const HAZARD_ICE_BEND = 8;
export const HAZARD_SHARP_BEND = 9;
export const HAZARD_DOWNHILL_STOP = 10;
export const HAZARD_BLIND_STALL = 11;
export const HAZARD_TRAM_CROSSING = 12;
export const HAZARD_DARK_ZEBRA = 13;
export const HAZARD_CUT_IN = 14;
