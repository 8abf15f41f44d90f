import type { AdminId } from "../admin/ids.js";

export interface RefineSorter {
  readonly field: string;
  readonly order: "asc" | "desc";
}

/** A condition on a field, or conditions that `or` and `and` combine. */
export type RefineFilter =
  | { readonly field: string; readonly operator: string; readonly value: unknown }
  | { readonly key?: string; readonly operator: "or" | "and"; readonly value: readonly RefineFilter[] };

/** Refine puts much into it, so that what is meant for the client has a name of its own. */
export interface RefineMeta {
  /** Options of the client's call, such as `include`, `fields`, `headers` and `ifMatch`. */
  readonly restwright?: object | undefined;
  readonly queryContext?: { readonly signal?: AbortSignal } | undefined;
}

export interface RefineListParams {
  readonly resource: string;
  readonly pagination?: { readonly currentPage?: number; readonly pageSize?: number; readonly mode?: "client" | "server" | "off" } | undefined;
  readonly sorters?: readonly RefineSorter[] | undefined;
  readonly filters?: readonly RefineFilter[] | undefined;
  readonly meta?: RefineMeta | undefined;
}

export interface RefineRowParams {
  readonly resource: string;
  readonly id: AdminId;
  readonly meta?: RefineMeta | undefined;
}

export interface RefineRowsParams {
  readonly resource: string;
  readonly ids: readonly AdminId[];
  readonly meta?: RefineMeta | undefined;
}

export interface RefineCreateParams<Variables> {
  readonly resource: string;
  readonly variables: Variables;
  readonly meta?: RefineMeta | undefined;
}

export interface RefineUpdateParams<Variables> extends RefineRowParams {
  readonly variables: Variables;
}

export interface RefineUpdateManyParams<Variables> extends RefineRowsParams {
  readonly variables: Variables;
}

export interface RefineCustomParams {
  readonly url: string;
  readonly method: "get" | "delete" | "head" | "options" | "post" | "put" | "patch";
  readonly sorters?: readonly RefineSorter[] | undefined;
  readonly filters?: readonly RefineFilter[] | undefined;
  readonly payload?: unknown;
  readonly query?: unknown;
  readonly headers?: object | undefined;
  readonly meta?: RefineMeta | undefined;
}

/** The methods that refine 5 calls: a `DataProvider`, by its shape. */
export interface RefineProvider {
  getList<Row extends object>(params: RefineListParams): Promise<{ data: Row[]; total: number }>;
  getOne<Row extends object>(params: RefineRowParams): Promise<{ data: Row }>;
  getMany<Row extends object>(params: RefineRowsParams): Promise<{ data: Row[] }>;
  create<Row extends object, Variables>(params: RefineCreateParams<Variables>): Promise<{ data: Row }>;
  createMany<Row extends object, Variables>(params: RefineCreateParams<readonly Variables[]>): Promise<{ data: Row[] }>;
  update<Row extends object, Variables>(params: RefineUpdateParams<Variables>): Promise<{ data: Row }>;
  updateMany<Row extends object, Variables>(params: RefineUpdateManyParams<Variables>): Promise<{ data: Row[] }>;
  deleteOne<Row extends object>(params: RefineRowParams): Promise<{ data: Row }>;
  deleteMany<Row extends object>(params: RefineRowsParams): Promise<{ data: Row[] }>;
  getApiUrl(): string;
  custom<Row extends object>(params: RefineCustomParams): Promise<{ data: Row }>;
}
