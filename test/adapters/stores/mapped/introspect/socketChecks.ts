import type { Resource } from "restwright";
import { expect } from "vitest";
import { pathOf } from "./introspected.js";
import { changeable } from "./introspectedPostgres.js";

type Row = Readonly<Record<string, unknown>>;

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Request = (path: string, sent?: Sent) => Promise<Answer>;

const bodyOf = ({ text }: Answer) => JSON.parse(text);

/** Expects a status, and shows the answer if it is another. */
function expectStatus(answer: Answer, status: number, what: string): Answer {
  expect(answer.status, `${what}: ${answer.text}`).toBe(status);
  return answer;
}

/** Reads a whole list in pages of two rows, and expects as many rows as it counts. */
export async function readAll(request: Request, { name }: Resource, query = ""): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let total = Number.NaN;
  for (let cursor: string | null = "", pages = 0; cursor !== null && pages < 100; pages++) {
    const path = `/${name}?perPage=2&count=exact${query}${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { data, meta } = bodyOf(expectStatus(await request(path), 200, path));
    rows.push(...data);
    total = meta.total;
    cursor = meta.nextCursor;
  }
  expect(rows, name).toHaveLength(total);
  return rows;
}

/** Lists, orders, pages and filters by the id, rows and their conditions: nothing is written. @returns the rows */
export async function expectReads(request: Request, resource: Resource): Promise<readonly Row[]> {
  const { name, idNames } = resource;
  const rows = await readAll(request, resource);
  if (idNames.length === 0) return rows;
  const paths = (some: readonly Row[]) => some.map((row) => pathOf(resource, row));
  expect(new Set(paths(rows)).size, name).toBe(rows.length);
  const upwards = await readAll(request, resource, `&sort=${idNames.join(",")}`);
  const downwards = await readAll(request, resource, `&sort=${idNames.map((part) => `-${part}`).join(",")}`);
  expect(paths(downwards), name).toEqual(paths(upwards).toReversed());
  for (const row of rows) {
    const filter = idNames.map((part) => `&${part}=${encodeURIComponent(String(row[part]))}`).join("");
    expect(paths(await readAll(request, resource, filter)), `${name} ${filter}`).toEqual(paths([row]));
    await expectConditions(request, pathOf(resource, row), row);
  }
  expectStatus(await request(`/${name}/${idNames.map(() => "no-such-id").join(",")}`), 404, name);
  return rows;
}

async function expectConditions(request: Request, path: string, row: Row): Promise<void> {
  const read = expectStatus(await request(path), 200, path);
  expect(bodyOf(read)).toMatchObject(row);
  const head = expectStatus(await request(path, { method: "HEAD" }), 200, path);
  const etag = read.headers.get("etag");
  // Rows of a view have no version.
  if (etag === null) return;
  expect([head.headers.get("etag"), head.text]).toEqual([etag, ""]);
  const unchanged = expectStatus(await request(path, { headers: { "if-none-match": etag } }), 304, path);
  expect(unchanged.text).toBe("");
  expectStatus(await request(path, { headers: { "if-none-match": '"another"' } }), 200, path);
}

/** Sends a row back as it was read, under its tag and under another. @returns whether the collection can be written */
export async function expectSameAfterPut(request: Request, resource: Resource, row: Row): Promise<boolean> {
  if (!resource.operations.has("replace")) return false;
  const path = pathOf(resource, row);
  const read = await request(path);
  const json = bodyOf(read);
  const put = (tag: string) => request(path, { method: "PUT", headers: { "if-match": tag }, json });
  expectStatus(await put('"another"'), 412, path);
  const replaced = expectStatus(await put(String(read.headers.get("etag"))), 200, path);
  expect(bodyOf(replaced)).toEqual(json);
  return true;
}

/** Changes a text and sets it back, by PATCH with If-Match and by a batch. @returns whether the collection has such a text */
export async function expectPatches(request: Request, resource: Resource, row: Row): Promise<boolean> {
  const field = changeable(resource);
  const text = field === undefined ? undefined : row[field];
  if (field === undefined || typeof text !== "string" || text.length > 3) return false;
  const path = pathOf(resource, row);
  const patch = async (tag: string, value: string) =>
    request(path, { method: "PATCH", headers: { "if-match": tag, "content-type": "application/merge-patch+json" }, json: { [field]: value } });
  const first = String((await request(path)).headers.get("etag"));
  const changed = expectStatus(await patch(first, `${text}!`), 200, path);
  expect(bodyOf(changed)).toMatchObject({ [field]: `${text}!` });
  expectStatus(await patch(first, "late"), 412, path);
  const tag = String(changed.headers.get("etag"));
  expectStatus(await request(path, { headers: { "if-none-match": tag } }), 304, path);
  expectStatus(await request(path, { headers: { "if-none-match": first } }), 200, path);
  const id = idOf(resource, row);
  for (const value of [`${text}?`, text]) {
    const json = { items: [{ id, changes: { [field]: value } }] };
    const batch = await request(`/${resource.name}/batch`, { method: "PATCH", json });
    expect(bodyOf(batch).results, `${path} ${batch.text}`).toMatchObject([{ status: 200, data: { [field]: value } }]);
  }
  return true;
}

/** How a batch names a row: a composite id by its text. */
function idOf(resource: Resource, row: Row): unknown {
  const [part = ""] = resource.idNames;
  return resource.idNames.length === 1 ? row[part] : pathOf(resource, row).slice(resource.name.length + 2);
}

/** Removes a row, unless others name it: then it stays as it is. @returns whether this removed it, and not the database with a row before */
export async function expectRemoval(request: Request, resource: Resource, row: Row): Promise<boolean> {
  if (!resource.operations.has("remove")) return false;
  const path = pathOf(resource, row);
  const read = await request(path);
  if (read.status === 404) return false;
  expectStatus(read, 200, path);
  expectStatus(await request(path, { method: "DELETE", headers: { "if-match": '"another"' } }), 412, path);
  const removed = await request(path, { method: "DELETE", headers: { "if-match": String(read.headers.get("etag")) } });
  if (removed.status === 409) {
    expect(bodyOf(removed)).toMatchObject({ code: "ROW_IN_USE" });
    expect(bodyOf(await request(path))).toEqual(bodyOf(read));
    return false;
  }
  expectStatus(removed, 204, path);
  expectStatus(await request(path), 404, path);
  expectStatus(await request(path, { method: "DELETE" }), 404, path);
  return true;
}
