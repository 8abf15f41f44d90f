import type { AdminId } from "../admin/ids.js";

/** What a call may set: the options of the client's call, such as `include`, `fields` and `headers`. */
type Meta = object | undefined;

export interface ListParams {
  readonly pagination?: { readonly page: number; readonly perPage: number } | undefined;
  readonly sort?: { readonly field: string; readonly order: "ASC" | "DESC" } | undefined;
  readonly filter?: object | undefined;
  readonly meta?: Meta;
  readonly signal?: AbortSignal | undefined;
}

export interface ReferenceParams extends ListParams {
  readonly target: string;
  readonly id: AdminId;
}

export interface OneParams {
  readonly id: AdminId;
  readonly meta?: Meta;
  readonly signal?: AbortSignal | undefined;
}

export interface ManyParams {
  readonly ids: readonly AdminId[];
  readonly meta?: Meta;
  readonly signal?: AbortSignal | undefined;
}

export interface CreateParams {
  readonly data: object;
  readonly meta?: Meta;
}

export interface UpdateParams extends CreateParams {
  readonly id: AdminId;
  readonly previousData?: object | undefined;
}

export interface UpdateManyParams extends CreateParams {
  readonly ids: readonly AdminId[];
}

export interface DeleteParams {
  readonly id: AdminId;
  readonly previousData?: object | undefined;
  readonly meta?: Meta;
}

/** Rows, and how many there are: `total` if they were all counted, else whether there is another page. */
export interface ListResult<Row> {
  data: Row[];
  total?: number;
  pageInfo?: { hasNextPage: boolean; hasPreviousPage: boolean };
}

/** The methods that react-admin 5 calls: a `DataProvider`, by its shape. */
export interface ReactAdminProvider {
  /** Queries are aborted when their page is left. */
  supportAbortSignal: boolean;
  getList<Row extends object>(resource: string, params: ListParams): Promise<ListResult<Row>>;
  getOne<Row extends object>(resource: string, params: OneParams): Promise<{ data: Row }>;
  getMany<Row extends object>(resource: string, params: ManyParams): Promise<{ data: Row[] }>;
  getManyReference<Row extends object>(resource: string, params: ReferenceParams): Promise<ListResult<Row>>;
  create<Row extends object>(resource: string, params: CreateParams): Promise<{ data: Row }>;
  update<Row extends object>(resource: string, params: UpdateParams): Promise<{ data: Row }>;
  updateMany<Row extends { id: unknown }>(resource: string, params: UpdateManyParams): Promise<{ data: Row["id"][] }>;
  delete<Row extends object>(resource: string, params: DeleteParams): Promise<{ data: Row }>;
  deleteMany<Row extends { id: unknown }>(resource: string, params: ManyParams): Promise<{ data: Row["id"][] }>;
}
