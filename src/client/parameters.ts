import type { ListMeta } from "../engine/resource/read/envelope.js";

type Part = string | number | bigint;
/** The id of a row; a composite one is an array with its parts. */
export type RowId = Part | readonly Part[];

/** What a list is about. */
export interface ListQuery {
  readonly where?: object | undefined;
  readonly q?: string | undefined;
  readonly sort?: string | readonly string[] | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
  readonly cursor?: string | undefined;
  readonly count?: string | undefined;
}

/** A page as it is sent. */
export interface WirePage {
  readonly data: object[];
  readonly meta: ListMeta;
  readonly links?: { readonly next?: string | undefined };
}

/** Which rows, and what they show. */
export const queryNames = "where q sort fields exclude include page perPage cursor count ";

/** The members of a query among the options of a call. */
export function queryMembers(query: ListQuery): [string, unknown][] {
  return Object.entries(query).filter(([name, value]) => value !== undefined && queryNames.includes(`${name} `));
}

/** The parameters of a query without its filter: names in a list are joined by commas. */
export function parametersOf(query: ListQuery): string[] {
  return queryMembers(query).flatMap(([name, value]) => (name === "where" ? [] : `${name}=${[value].flat().map(encode)}`));
}

/** A query string, with its question mark unless it is empty. */
export function queryText(parameters: readonly string[]): string {
  const text = parameters.join("&");
  return text && `?${text}`;
}

/** A value as a parameter has it. */
export function encode(value: unknown): string {
  return encodeURIComponent(value instanceof Date ? value.toISOString() : String(value));
}

/** The segment of a path. @throws {TypeError} for an id that would lead to another path */
export function idPath(id: RowId): string {
  const path = `${[id].flat().map(encode)}`;
  if (/^(\.{0,2}|undefined|null)$/.test(path)) throw new TypeError(`"${id}" cannot be an id.`);
  return `/${path}`;
}
