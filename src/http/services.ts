import * as dealerSchemas from './dealer-schemas.ts';
import type { Service } from './openapi.ts';
import type { Schema } from './schema-parts.ts';
import * as twinSchemas from './schemas.ts';

/** Those that are worth a name in a document: what is put together, not single texts and numbers. */
function composed(schemas: Readonly<Record<string, unknown>>): Record<string, Schema> {
  const all = Object.entries(schemas) as [string, Schema][];
  return Object.fromEntries(
    all.filter(([, { properties, items, anyOf }]) => properties ?? items ?? anyOf),
  );
}

export const TWIN: Service = {
  title: 'Vehicle Configuration API (Digital Twin)',
  version: '1.4.2',
  description:
    'Worlds with twenty self-driving cars each, and the features of every car. Vehicle calls name ' +
    'their car by its VIN, which the fleet of a world lists.',
  schemas: composed(twinSchemas),
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
      description: '`VIN` and a blank before the VIN.',
    },
  },
  security: { none: [], vin: ['vin', 'vinAuthorization'], bearer: [] },
  errorSchema: () => twinSchemas.ErrorBody,
};

const DEMO = `Dealers, their customers and cars, owners, and the remote flags of cars.

In demo mode these log-ins are known: \`admin\` with \`admin-demo\`; the dealers \`nordbil\`,
\`vastauto\`, \`sydmotor\` and \`fjallbilar\` with \`dealer-demo\`; customers such as \`anna\` and
\`erik\` with \`customer-demo\`.`;

export const DEALER_PLATFORM: Service = {
  title: 'Dealer Platform API',
  version: '2.0.0',
  description: DEMO,
  schemas: composed(dealerSchemas),
  securitySchemes: {
    oauth2: {
      type: 'oauth2',
      flows: { password: { tokenUrl: '/api/token', scopes: {} } },
    },
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  },
  security: { none: [], vin: [], bearer: ['oauth2', 'bearer'] },
  errorSchema: (status) => (status === 422 ? dealerSchemas.ValidationErrors : dealerSchemas.Detail),
};
