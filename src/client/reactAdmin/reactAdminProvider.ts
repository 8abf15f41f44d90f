import { type AdminClient, callEach, callsOf } from "../admin/adminClient.js";
import { changesOf } from "../admin/changes.js";
import { sendFiles } from "../admin/files.js";
import { type AdminId, idsOf } from "../admin/ids.js";
import type { Members } from "../admin/members.js";
import { type AdminOptions, checkAdminOptions } from "../admin/options.js";
import { readPage, readRows } from "../admin/rows.js";
import { versionOf } from "../admin/version.js";
import { writeAndShow } from "../admin/view.js";
import { transportOf } from "../transport/transportOf.js";
import { withFormErrors } from "./formErrors.js";
import type {
  CreateParams,
  DeleteParams,
  ListParams,
  ListResult,
  ManyParams,
  OneParams,
  ReactAdminProvider,
  ReferenceParams,
  UpdateManyParams,
  UpdateParams,
} from "./types.js";

/** The page that react-admin asks for by default. */
const firstPage = { page: 1, perPage: 25 };

/**
 * A data provider for react-admin 5, over a client. Filters are the `where` of a list, with `q` for its search; `meta` holds further options of a call. A row that was shown is changed and deleted
 * only if it is still the same; else the page shows that it has changed.
 *
 * @throws {TypeError} if `client` was not made by `createClient`, and for unknown options
 * @see https://marmelab.com/react-admin/DataProviders.html
 * @example
 * <Admin dataProvider={reactAdminProvider(shop, { upload: (file) => startUpload(shop, file).done })}>…</Admin>
 */
export function reactAdminProvider(client: AdminClient, options: AdminOptions = {}): ReactAdminProvider {
  transportOf(client, "reactAdminProvider");
  checkAdminOptions("reactAdminProvider", options, ["ids", "upload", "maxPerPage", "atomic"]);
  const { ids: names = {}, upload, maxPerPage = 100, atomic: isAtomic = true } = options;
  const parts = { client, ids: idsOf(names), upload, maxPerPage, isAtomic };
  const methods = { ...readMethods(parts), ...writeMethods(parts) };
  const showing =
    <Given extends unknown[]>(method: (...given: Given) => Promise<unknown>) =>
    async (...given: Given) => {
      try {
        return await method(...given);
      } catch (error) {
        throw withFormErrors(error);
      }
    };
  const provider = Object.entries(methods).map(([name, method]) => [name, showing(method as (...given: unknown[]) => Promise<unknown>)]);
  return { ...Object.fromEntries(provider), supportAbortSignal: true } as unknown as ReactAdminProvider;
}

/** What the methods of a provider are made from. */
interface Parts {
  readonly client: AdminClient;
  readonly ids: ReturnType<typeof idsOf>;
  readonly upload: AdminOptions["upload"];
  readonly maxPerPage: number;
  readonly isAtomic: boolean;
}

function readMethods({ client, ids: { idOf, namesOf, shown, sortBy }, maxPerPage }: Parts) {
  async function list(resource: string, { pagination = firstPage, sort, filter = {}, meta, signal }: ListParams): Promise<ListResult<Members>> {
    const { q, ...where } = filter as Members;
    const query = {
      where,
      // An empty search box does not search.
      q: q === "" ? undefined : (q as string | undefined),
      sort: sort && sortBy(resource, sort.field, sort.order === "DESC"),
      signal,
      ...meta,
    };
    const { data, meta: found } = await readPage(callsOf(client, resource), query, pagination, maxPerPage);
    const rows = data.map((row) => shown(resource, row as Members));
    const { total, totalRelation, nextCursor } = found;
    if (total !== null && totalRelation === "eq") return { data: rows, total };
    const { page, perPage } = pagination;
    return { data: rows, pageInfo: { hasNextPage: nextCursor !== null || page * perPage < (total ?? 0), hasPreviousPage: page > 1 } };
  }

  return {
    getList: list,

    getManyReference(resource: string, { target, id, filter = {}, ...params }: ReferenceParams) {
      const { q, ...where } = filter as Members;
      const wanted = { [target]: id };
      // Both hold where the filter names the same field.
      return list(resource, { ...params, filter: target in where ? { q, and: [where, wanted] } : { q, ...where, ...wanted } });
    },

    async getOne(resource: string, { id, meta, signal }: OneParams) {
      return { data: shown(resource, (await callsOf(client, resource).get(idOf(resource, id), { signal, ...meta } as object)) as Members) };
    },

    async getMany(resource: string, { ids, meta, signal }: ManyParams) {
      const keys = ids.map((id) => idOf(resource, id));
      const rows = await readRows(callsOf(client, resource), keys, namesOf(resource), { signal, ...meta } as object, maxPerPage);
      return { data: rows.map((row) => shown(resource, row)) };
    },
  };
}

function writeMethods({ client, ids: { idOf, sent, shown }, upload, isAtomic }: Parts) {
  const rowIdOf = (resource: string) => (row: Members) => idOf(resource, shown(resource, row)["id"] as AdminId);

  return {
    async create(resource: string, { data, meta = {} }: CreateParams) {
      const calls = callsOf(client, resource);
      const values = await sendFiles(sent(resource, data as Members), upload);
      const row = await writeAndShow(calls, meta as Members, rowIdOf(resource), (write) => calls.create(values, write));
      return { data: shown(resource, row) };
    },

    async update(resource: string, { id, data, previousData, meta = {} }: UpdateParams) {
      const calls = callsOf(client, resource);
      const key = idOf(resource, id);
      const ifMatch = await versionOf(calls, key, previousData as Members | undefined, meta as Members);
      const values = await sendFiles(sent(resource, data as Members), upload);
      const changes = changesOf((previousData ?? {}) as Members, values);
      const row = await writeAndShow(
        calls,
        { ...meta, ifMatch },
        () => key,
        (write) => calls.update(key, changes, write),
      );
      return { data: shown(resource, row) };
    },

    async updateMany(resource: string, { ids, data, meta = {} }: UpdateManyParams) {
      const changes = await sendFiles(sent(resource, data as Members), upload);
      const given = ids.map((id) => [idOf(resource, id), changes]);
      await callEach(client, { collection: resource, method: "update", isAtomic }, given, meta);
      return { data: ids };
    },

    async delete(resource: string, { id, previousData, meta = {} }: DeleteParams) {
      const calls = callsOf(client, resource);
      const key = idOf(resource, id);
      const ifMatch = await versionOf(calls, key, previousData as Members | undefined, meta as Members);
      await calls.remove(key, { ...meta, ifMatch });
      return { data: previousData ?? { id } };
    },

    async deleteMany(resource: string, { ids, meta = {} }: ManyParams) {
      const given = ids.map((id) => [idOf(resource, id)]);
      await callEach(client, { collection: resource, method: "remove", isAtomic }, given, meta);
      return { data: ids };
    },
  };
}
