import openapiTS, { astToString } from 'openapi-typescript';

/** The types of a service as TypeScript, from the text of its OpenAPI document. */
export async function typesOf(document: string): Promise<string> {
  return astToString(await openapiTS(document));
}
