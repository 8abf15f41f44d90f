import { list20, list100, newUser } from "../requests/workloads.js";
import { requestText } from "../tools/message.js";
import { seededRows } from "../tools/seed.js";

/** What is measured. */
export const kinds = ["get", "list20", "list100", "post", "patch"] as const;

export type Kind = (typeof kinds)[number];

/** How a server wants the requests, and how it answers them. */
export interface Dialect {
  get(id: number): string;
  /** The user that it answered. */
  readUser(body: string): Readonly<Record<string, unknown>>;
  list(perPage: number): string;
  /** The ids of a list that it answered. */
  readList(body: string): readonly unknown[];
  post(turn: number): string;
  patch(id: number, turn: number): string;
}

const idsOf = (rows: unknown) => (rows as readonly { readonly id: unknown }[]).map(({ id }) => id);
/** Plain resources at `/users/{id}`. */
const plainReads: Pick<Dialect, "get" | "readUser"> = {
  get: (id) => requestText("GET", `/users/${id}`),
  readUser: (body) => JSON.parse(body),
};
const fields = ["id", "name", "email", "status", "createdAt"];
const userOf = (turn: number) => ({ ...newUser, name: `New customer ${turn % 50}`, email: `new.customer.${turn}@example.com` });
const changeOf = (turn: number) => ({ name: `Changed ${turn % 50}`, preferences: { newsletter: false, locale: turn % 2 === 0 ? "nb" : "en" } });

/** restwright and the hand-written server. */
export const ownDialect: Dialect = {
  ...plainReads,
  list: (perPage) => requestText("GET", perPage === 20 ? list20 : list100),
  readList: (body) => idsOf(JSON.parse(body).data),
  post: (turn) => requestText("POST", "/users", {}, userOf(turn)),
  patch: (id, turn) => requestText("PATCH", `/users/${id}`, { "content-type": "application/merge-patch+json" }, changeOf(turn)),
};

const selected = fields.map((field) => `$select[]=${field}`).join("&");

/** It answers the total with every list, too. */
export const feathersDialect: Dialect = {
  ...plainReads,
  list: (perPage) => requestText("GET", `/users?status=inactive&name=Customer%2025&$sort[createdAt]=-1&$limit=${perPage}&${selected}`),
  readList: (body) => idsOf(JSON.parse(body).data),
  post: (turn) => requestText("POST", "/users", {}, userOf(turn)),
  patch: (id, turn) => requestText("PATCH", `/users/${id}`, {}, changeOf(turn)),
};

const totalled = `fields=${fields.join()}&totalCount=true`;
const instant = "2026-01-01T00:00:00.000Z";
const stored = { createdAt: instant, updatedAt: instant, version: "1" };
const texts = (members: object) => Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));

/**
 * It has no JSON columns on SQLite, sets no instants and no versions, and its PUT is the only way to change a row: what is missing comes from the client. The total is
 * asked for, as the other servers give it.
 */
export const platformaticDialect: Dialect = {
  ...plainReads,
  list: (perPage) =>
    requestText("GET", `/users?where.status.eq=inactive&where.name.eq=Customer%2025&orderby.createdAt=desc&limit=${perPage}&${totalled}`),
  readList: (body) => idsOf(JSON.parse(body)),
  post(turn) {
    const { preferences, tags, address, ...user } = userOf(turn);
    return requestText("POST", "/users", {}, { ...user, ...stored, ...texts({ preferences, tags, address }) });
  },
  patch(id, turn) {
    const { preferences, name } = changeOf(turn);
    const email = `customer.${id - 1}@example.com`;
    return requestText("PUT", `/users/${id}`, {}, { status: "active", name, email, ...stored, ...texts({ preferences, tags: newUser.tags }) });
  },
};

const condition = { status: "inactive", name: "Customer 25" };

/** A list with its total is a query that is posted. It has no merge patch: a PUT changes the members that it has. */
export const remultDialect: Dialect = {
  get: (id) => requestText("GET", `/api/users/${id}`),
  readUser: (body) => JSON.parse(body),
  list: (perPage) =>
    requestText(
      "POST",
      `/api/users?__action=query&_sort=createdAt&_order=desc&_limit=${perPage}&_page=1&_select=${fields.join()}`,
      {},
      { where: condition, aggregate: {} },
    ),
  readList: (body) => idsOf(JSON.parse(body).items),
  post: (turn) => requestText("POST", "/api/users", {}, userOf(turn)),
  patch: (id, turn) => requestText("PUT", `/api/users/${id}`, {}, changeOf(turn)),
};

const chosen = fields.filter((field) => field !== "id").join();

/** JSON:API. */
export const zenstackDialect: Dialect = {
  get: (id) => requestText("GET", `/api/users/${id}`),
  readUser(body) {
    const { id, attributes } = JSON.parse(body).data;
    return { id, ...attributes };
  },
  list: (perPage) =>
    requestText(
      "GET",
      `/api/users?filter[status]=inactive&filter[name]=Customer%2025&sort=-createdAt&page[limit]=${perPage}&page[offset]=0&fields[users]=${chosen}`,
    ),
  readList: (body) => idsOf(JSON.parse(body).data),
  post: (turn) => requestText("POST", "/api/users", {}, { data: { type: "users", attributes: userOf(turn) } }),
  patch: (id, turn) => requestText("PATCH", `/api/users/${id}`, {}, { data: { type: "users", id: `${id}`, attributes: changeOf(turn) } }),
};

/** It gives the total of a page in a header, and cannot choose fields. */
export const jsonServerDialect: Dialect = {
  ...plainReads,
  list: (perPage) => requestText("GET", `/users?status=inactive&name=Customer%2025&_sort=createdAt&_order=desc&_limit=${perPage}&_page=1`),
  readList: (body) => idsOf(JSON.parse(body)),
  post: (turn) => requestText("POST", "/users", {}, userOf(turn)),
  patch: (id, turn) => requestText("PATCH", `/users/${id}`, {}, changeOf(turn)),
};

/** Prime to the number of rows. */
const stride = 3_571;

/** The next request of a kind; each server gets the same ones. */
export function makeRequests({ get, list, post, patch }: Dialect): Readonly<Record<Kind, () => string>> {
  const idOf = (turn: number) => ((turn * stride) % seededRows) + 1;
  let turns = 0;
  const counted = (make: (turn: number) => string) => () => {
    turns += 1;
    return make(turns);
  };
  return {
    get: counted((turn) => get(idOf(turn))),
    list20: () => list(20),
    list100: () => list(100),
    post: counted(post),
    patch: counted((turn) => patch(idOf(turn), turn)),
  };
}
