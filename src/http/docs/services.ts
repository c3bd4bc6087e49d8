import { STATUS_CODES } from 'node:http';
import { DEMO_PASSWORDS, type DemoLogin } from '../../dealer/demo.ts';
import { type DealerError, forbidden, notAuthenticated, notFound } from '../../dealer/errors.ts';
import * as dealerSchemas from '../../dealer/schemas.ts';
import { VERSION } from '../../dealer/state.ts';
import type { Schema } from '../../schema.ts';
import { detailReply } from '../dealer/detail.ts';
import * as twinSchemas from '../twin/schemas.ts';
import { exampleOf } from './examples.ts';
import type { Service } from './openapi.ts';

/** Schemas that get a name in the document: objects, lists and unions. */
function composed(schemas: Readonly<Record<string, unknown>>): Record<string, Schema> {
  const all = Object.entries(schemas) as [string, Schema][];
  return Object.fromEntries(
    all.filter(([, { properties, items, anyOf }]) => properties ?? items ?? anyOf),
  );
}

// The AsyncAPI document describes the hello.
const { Hello: _, ...answersAndBodies } = twinSchemas;

export const TWIN: Service = {
  title: 'Vehicle Configuration API (Digital Twin)',
  version: '1.4.2',
  description:
    'Worlds with twenty self-driving cars each, and the features of every car. Vehicle calls name ' +
    'their car by its VIN, which the fleet of a world lists.',
  schemas: composed(answersAndBodies),
  securitySchemes: {
    vin: {
      type: 'apiKey',
      in: 'header',
      name: 'X-VIN',
      description: 'The VIN of a car of a living world.',
    },
    vinAuthorization: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The word `VIN`, a space, and the VIN.',
    },
  },
  security: { none: [], vin: ['vin', 'vinAuthorization'], bearer: [] },
  tags: {
    worlds: 'Private cities, created by a request and dropped when idle.',
    catalogue: 'The features and the cities.',
    vehicle: 'One car, named by its VIN, and its features.',
    viewer: 'The live map, for a browser.',
    lockstep: 'What a client needs to live a world itself.',
    stream: 'The live stream of a world; `/asyncapi.json` describes its messages.',
  },
  errorSchema: () => twinSchemas.ErrorBody,
  errorOf: ({ code, hint }) => ({ error: code, hint }),
  errorExample: () => exampleOf(twinSchemas.ErrorBody),
};

const DEALERS = 'Dealers, their customers and cars, owners, and the remote flags of cars.';

/** @param logins published ones; the description names no others */
function describe(logins: readonly DemoLogin[]): string {
  if (logins.length === 0) return DEALERS;
  const hasAdmin = logins.some(({ role }) => role === 'admin');
  return `${DEALERS}

In demo mode these log-ins are known: ${hasAdmin ? '`admin` with `admin-demo`; ' : ''}the dealers \`nordbil\`,
\`vastauto\`, \`sydmotor\` and \`fjallbilar\` with \`dealer-demo\`; customers such as \`anna\` and
\`erik\` with \`customer-demo\`.`;
}

const KNOWN_DETAILS: Readonly<Record<number, DealerError['detail']>> = {
  401: notAuthenticated().detail,
  403: forbidden().detail,
  404: notFound('Car').detail,
  409: 'The username is taken',
  429: 'Too many failed log-ins.',
  500: STATUS_CODES[500] ?? '',
  503: 'The store cannot be reached; nothing was changed.',
};

function errorSchema(status: number): Schema {
  return status === 422 ? dealerSchemas.ValidationErrors : dealerSchemas.Detail;
}

const DEALER_PLATFORM: Service = {
  title: 'Dealer Platform API',
  version: VERSION,
  description: DEALERS,
  schemas: composed(dealerSchemas),
  securitySchemes: {
    oauth2: {
      type: 'oauth2',
      flows: { password: { tokenUrl: '/api/token', scopes: {} } },
    },
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  },
  security: { none: [], vin: [], bearer: ['oauth2', 'bearer'] },
  tags: {
    'log-in': 'Issuing and ending tokens.',
    'own account': 'The account of the caller.',
    dealers: 'Dealerships.',
    customers: 'Customers of the dealers.',
    cars: 'Fleets, owners and remote flags.',
    platform: 'The platform as a whole.',
  },
  errorSchema,
  errorOf: (error) => JSON.parse(String(detailReply(error).body)),
  errorExample: (status) => {
    const detail = KNOWN_DETAILS[status];
    return detail ? { detail } : exampleOf(errorSchema(status));
  },
};

/** @param logins published ones; the document shows no other published password */
export function dealerPlatform(logins: readonly DemoLogin[]): Service {
  const shown = new Set(logins.map(({ password }) => password));
  const withheld = new Set(Object.values(DEMO_PASSWORDS).filter((each) => !shown.has(each)));
  return { ...DEALER_PLATFORM, description: describe(logins), withheld };
}
