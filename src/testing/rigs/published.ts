import { Ajv2020 } from 'ajv/dist/2020.js';

type Json = Record<string, unknown>;

interface Operation {
  responses: Record<string, { content?: Record<string, unknown> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json };
}

/** An answer as its client has it. */
export interface Answered {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  /** Decoded. */
  body: unknown;
}

/** A document that a service publishes, to hold what it says against. */
export class Published<Document extends object> {
  readonly document: Document;
  readonly #ajv = new Ajv2020({ strict: false });

  constructor(document: Document) {
    this.document = document;
    this.#ajv.addFormat('uri', (text: string) => URL.canParse(text));
    this.#ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
    this.#ajv.addFormat('email', true).addFormat('password', true);
    this.#ajv.addSchema(document, 'document');
  }

  /** Throws where the value is not as the schema at `place` of the document has it. */
  check(value: unknown, ...place: readonly string[]): void {
    const parts = place.map((part) => encodeURIComponent(part.replaceAll('/', '~1')));
    const uri = `document#/${parts.join('/')}`;
    const validate = this.#ajv.getSchema(uri) ?? this.#ajv.compile({ $ref: uri });
    if (validate(value)) return;
    const faults = (validate.errors ?? []).map((fault) => JSON.stringify(fault)).slice(0, 10);
    throw new Error(`not what ${place.join(' ')} describes:\n${faults.join('\n')}`);
  }
}

/** By what is published, whichever node it comes from: they all run the same code. */
const documents = new Map<string, Promise<Published<object>>>();

function publishedAt<Document extends object>(url: string, key: string) {
  const known = documents.get(key) ?? read(url);
  documents.set(key, known);
  known.catch(() => documents.delete(key));
  return known as Promise<Published<Document>>;
}

async function read(url: string): Promise<Published<object>> {
  return new Published((await (await fetch(url)).json()) as object);
}

/** The OpenAPI document of a service, read anew. */
export function readOpenApi(serviceUrl: string): Promise<Published<OpenApi>> {
  return read(`${serviceUrl}/openapi.json`) as Promise<Published<OpenApi>>;
}

/** Refusals of a route itself; those that come before it have one form everywhere. */
const OF_ROUTES = new Set([401, 403, 404, 409, 422]);

/** Throws where an answer with a body is not as the service's OpenAPI document says. */
export async function checkAnswer(
  service: 'dealer' | 'twin',
  url: string,
  answer: Answered,
): Promise<void> {
  if (answer.body === undefined) return;
  checkAgainst(service, await publishedAt<OpenApi>(`${url}/openapi.json`, service), answer);
}

/** The same with a document at hand. */
export function checkAgainst(
  service: 'dealer' | 'twin',
  published: Published<OpenApi>,
  { method, path, status, body }: Answered,
): void {
  if (body === undefined) return;
  const { paths } = published.document;
  const [bare = ''] = path.split('?');
  const template = templateOf(bare, Object.keys(paths));
  const verb = method.toLowerCase();
  const responses = paths[template ?? '']?.[verb]?.responses;
  if (template === undefined || responses === undefined) {
    if (status < 400) throw new Error(`${method} ${path} is not published`);
    const error = service === 'twin' ? 'ErrorBody' : 'Detail';
    published.check(body, 'components', 'schemas', error);
    return;
  }
  const described = status in responses ? String(status) : 'default';
  if (described === 'default' && (status < 400 || OF_ROUTES.has(status))) {
    throw new Error(`${status} of ${method} ${template} is not published`);
  }
  const place = ['responses', described, 'content', 'application/json', 'schema'];
  published.check(body, 'paths', template, verb, ...place);
}

/** Throws where a value is not as the schema of that name in the service's document has it. */
export async function checkNamed(
  service: 'dealer' | 'twin',
  url: string,
  name: string,
  value: unknown,
): Promise<void> {
  const published = await publishedAt(`${url}/openapi.json`, service);
  published.check(value, 'components', 'schemas', name);
}

/** The path of a document that a path is one of; of several the one with the fewest parameters. */
function templateOf(path: string, templates: readonly string[]): string | undefined {
  const parts = path.split('/');
  const fits = (template: string) => {
    const expected = template.split('/');
    if (expected.length !== parts.length) return false;
    return expected.every((each, i) => each === parts[i] || (each.startsWith('{') && parts[i]));
  };
  const parameters = (template: string) => template.split('{').length;
  return templates.filter(fits).toSorted((a, b) => parameters(a) - parameters(b))[0];
}

function schemaOf({ type, kernel }: Json): string {
  if (type === 'snapshot') return 'Snapshot';
  if (type === 'hello') return kernel === undefined ? 'Hello' : 'LockstepHello';
  const name = String(type);
  return `Lockstep${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/**
 * Throws where a message of a stream is not as the AsyncAPI document says.
 * @param url of the stream
 */
export async function checkMessage(url: string, message: unknown): Promise<void> {
  const { origin } = new URL(url.replace(/^ws/, 'http'));
  const published = await publishedAt(`${origin}/asyncapi.json`, 'stream');
  published.check(message, 'components', 'schemas', schemaOf(message as Json));
}
