import { expect } from "vitest";

/** A batch that is sent to the shop, and what must come back. They build on one another. */
export interface BatchCase {
  readonly name: string;
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Uint8Array;
  readonly status: number;
  /** Statuses of the results, in order. */
  readonly items?: readonly number[];
  /** What the body holds, among other things. */
  readonly facts?: object;
  /** Headers of the answer. */
  readonly answered?: Readonly<Record<string, string>>;
}

const strict = { prefer: "handling=strict" };
const user = (name: string) => ({ name, email: `${name.toLowerCase()}@example.com` });
const orders = Array.from({ length: 12 }, (_, index) => ({
  customerId: 1 + (index % 3),
  total: 10 * (index + 1),
  currency: "EUR",
  ...(index < 8 ? {} : { status: "paid" }),
}));
const broken = [user("Fay"), user("Ada"), { name: "", email: "nobody" }];
const operation = (method: string, url: string, more: object = {}) => ({ method, url, ...more });

function part(name: string, request: readonly string[]): string {
  return ["--cut", "Content-Type: application/http", `Content-ID: <${name}>`, "", ...request, ""].join("\r\n");
}
const json = "Content-Type: application/json";
const multipart = `${part("made", ["POST /users HTTP/1.1", json, "", JSON.stringify(user("Mia"))])}${part("gone", ["GET /users/999 HTTP/1.1", "", ""])}--cut--\r\n`;
const mixed = { "content-type": "multipart/mixed; boundary=cut" };

export const batchCases: readonly BatchCase[] = [
  {
    name: "creates",
    target: "/users/batch",
    body: { items: ["Ada", "Ben", "Cleo", "Dan", "Eve"].map(user) },
    status: 200,
    facts: {
      results: [{ index: 0, status: 201, id: 1, location: "/users/1", data: { name: "Ada" } }, {}, {}, {}, { index: 4, id: 5 }],
      summary: { total: 5, succeeded: 5, failed: 0 },
    },
    answered: { vary: "Prefer, Accept, X-API-Version", "cache-control": "no-store" },
  },
  {
    name: "creates what is right, and says what is wrong with the rest",
    target: "/users/batch",
    body: { items: broken },
    status: 207,
    items: [201, 422, 422],
    facts: {
      results: [
        {},
        { error: { code: "DUPLICATE_EMAIL" } },
        { error: { code: "VALIDATION_FAILED", errors: [{ pointer: "/name" }, { pointer: "/email" }] } },
      ],
      summary: { total: 3, succeeded: 1, failed: 2 },
    },
  },
  {
    name: "creates nothing where one of an atomic batch fails",
    target: "/users/batch",
    headers: strict,
    body: { items: [user("Gus"), user("Ada")] },
    status: 422,
    items: [424, 422],
    facts: { results: [{ error: { code: "ROLLED_BACK" } }, { error: { code: "DUPLICATE_EMAIL" } }], summary: { total: 2, succeeded: 0, failed: 2 } },
    answered: { "preference-applied": "handling=strict" },
  },
  { name: "left nothing of it behind", method: "GET", target: "/users?name=Gus&count=exact", status: 200, facts: { data: [], meta: { total: 0 } } },
  {
    name: "answers without rows",
    target: "/users/batch",
    headers: { prefer: "return=minimal" },
    body: { items: [user("Hal")] },
    status: 200,
    items: [201],
    facts: { results: [expect.not.objectContaining({ data: expect.anything() })] },
    answered: { "preference-applied": "return=minimal" },
  },
  {
    name: "changes",
    method: "PATCH",
    target: "/users/batch",
    body: {
      items: [
        { id: 1, changes: { name: "Ada Lovelace", address: { city: "London", country: "UK" } } },
        { id: 999, changes: { name: "Nobody" } },
        { id: 2, changes: { name: "Benjamin" }, ifMatch: '"stale"' },
        { id: 3, changes: { email: 7 } },
      ],
    },
    status: 207,
    items: [200, 404, 412, 422],
    facts: { results: [{ id: 1, data: { name: "Ada Lovelace" } }, {}, {}, { error: { errors: [{ pointer: "/changes/email" }] } }] },
  },
  { name: "removes, and a second time is 404", target: "/users/batch-delete", body: { ids: [5, 5, 998] }, status: 207, items: [204, 404, 404] },
  { name: "removes by DELETE with a body", method: "DELETE", target: "/users", body: { ids: [4] }, status: 200, items: [204] },
  {
    name: "refuses DELETE without a body and a filter",
    method: "DELETE",
    target: "/users",
    status: 400,
    facts: { code: "FILTER_REQUIRED", detail: expect.stringContaining("POST /users/batch-delete") },
  },
  {
    name: "refuses DELETE with a body and a filter",
    method: "DELETE",
    target: "/users?status=active",
    body: { ids: [1] },
    status: 400,
    facts: { code: "INVALID_BATCH" },
  },
  {
    name: "removed only what was named",
    method: "GET",
    target: "/users?fields=id&sort=id&perPage=3",
    status: 200,
    facts: { data: [{ id: 1 }, { id: 2 }, { id: 3 }] },
  },
  { name: "creates a dozen in one transaction", target: "/orders/batch", headers: strict, body: { items: orders }, status: 200 },
  {
    name: "looks first what a filter would change",
    target: "/orders/bulk-update?status=open&total[gt]=20&dryRun=true",
    body: { note: "late" },
    status: 200,
    facts: { matched: 6, sample: [3, 4, 5, 6, 7] },
  },
  {
    name: "changes what matches",
    target: "/orders/bulk-update?status=open&total[gt]=20",
    body: { status: "paid" },
    status: 200,
    items: [200, 200, 200, 200, 200, 200],
    facts: { results: [{ id: 3, data: { status: "paid" } }, {}, {}, {}, {}, { id: 8 }] },
  },
  {
    name: "never changes all rows for want of a filter",
    target: "/orders/bulk-update",
    body: { status: "void" },
    status: 400,
    facts: { code: "FILTER_REQUIRED" },
  },
  {
    name: "never changes all rows for a slip of the pen",
    target: "/orders/bulk-update?statos=open",
    body: { status: "void" },
    status: 400,
    facts: { errors: [{ code: "UNKNOWN_FIELD", hint: 'did you mean "status"' }] },
  },
  {
    name: "changes no more than the client expects",
    target: "/orders/bulk-update?status=open",
    headers: { prefer: "max-affected=1" },
    body: { status: "void" },
    status: 400,
    facts: { code: "TOO_MANY_AFFECTED", matched: 2 },
  },
  {
    name: "asks before it removes by a filter",
    method: "DELETE",
    target: "/orders?status=paid",
    status: 428,
    facts: { code: "CONFIRMATION_REQUIRED", matched: 10, sample: [3, 4, 5, 6, 7] },
  },
  {
    name: "removes nothing where the number is another",
    method: "DELETE",
    target: "/orders?status=paid&confirm=9",
    status: 409,
    facts: { code: "CONFIRMATION_MISMATCH", matched: 10 },
  },
  {
    name: "removes what was confirmed",
    method: "DELETE",
    target: "/orders?status=paid&confirm=10",
    status: 200,
    facts: { summary: { total: 10, succeeded: 10, failed: 0 } },
  },
  { name: "refuses an empty batch", target: "/users/batch", body: { items: [] }, status: 400, facts: { code: "EMPTY_BATCH" } },
  { name: "refuses what is no batch", target: "/users/batch", body: [user("Ida")], status: 400, facts: { code: "INVALID_BATCH" } },
  {
    name: "refuses too many items",
    target: "/users/batch",
    body: { items: Array.from({ length: 1_001 }, () => ({})) },
    status: 413,
    facts: { code: "BATCH_TOO_LARGE", maximum: 1_000 },
  },
  {
    name: "refuses too many operations",
    target: "/batch",
    body: { operations: Array.from({ length: 101 }, () => operation("GET", "/users/1")) },
    status: 413,
    facts: { code: "BATCH_TOO_LARGE", maximum: 100 },
  },
  {
    name: "refuses a byte more than ten megabytes",
    target: "/users/batch",
    body: new Uint8Array(10_485_761).fill(0x20),
    status: 413,
    facts: { code: "BATCH_TOO_LARGE", maximum: 10_485_760 },
  },
  { name: "refuses other types", target: "/users/batch", headers: { "content-type": "text/csv" }, body: "name", status: 415 },
  { name: "has no such method", method: "PUT", target: "/users/batch", body: {}, status: 405, answered: { allow: "POST, PATCH, OPTIONS" } },
  {
    name: "does operations that refer to one another",
    target: "/batch",
    body: {
      operations: [
        operation("POST", "/users", { name: "jo", body: user("Jo") }),
        operation("POST", "/orders", { name: "first", body: { customerId: { $result: "jo.id" }, total: 1, currency: "EUR" } }),
        operation("GET", "/users/{jo.data.id}/orders?fields=customerId"),
        operation("PATCH", "/users/{jo.id}", { headers: { "if-match": '"stale"' }, body: { name: "Joan" } }),
      ],
    },
    status: 207,
    items: [201, 201, 200, 412],
    facts: {
      results: [
        { name: "jo", headers: { location: expect.stringContaining("/users/") } },
        { name: "first" },
        { data: { data: [{ customerId: expect.any(Number) }] } },
        {},
      ],
    },
  },
  {
    name: "does not do what refers to a failure",
    target: "/batch",
    body: { operations: [operation("POST", "/users", { name: "ada", body: user("Ada") }), operation("DELETE", "/users/{ada.id}")] },
    status: 207,
    items: [422, 424],
    facts: { results: [{}, { error: { code: "FAILED_DEPENDENCY" } }] },
  },
  {
    name: "undoes all operations where one of an atomic batch fails",
    target: "/batch",
    headers: strict,
    body: {
      operations: [
        operation("POST", "/users", { body: user("Kim") }),
        operation("PATCH", "/users/1", { body: { name: "Undone" } }),
        operation("GET", "/users/999"),
      ],
    },
    status: 422,
    items: [424, 424, 404],
  },
  { name: "undid them", method: "GET", target: "/users/1?fields=name", status: 200, facts: { name: "Ada Lovelace" } },
  {
    name: "leads nowhere but to its own paths",
    target: "/batch",
    body: {
      operations: [
        operation("GET", "http://127.0.0.1/users/1"),
        operation("GET", "//127.0.0.1/users/1"),
        operation("GET", "/users/../users/1"),
        operation("POST", "/batch", { body: { operations: [] } }),
        operation("POST", "/users/batch", { body: { items: [] } }),
      ],
    },
    status: 207,
    items: [400, 400, 400, 400, 400],
  },
  {
    name: "takes requests in parts, and answers in JSON",
    target: "/batch",
    headers: { ...mixed, accept: "application/json" },
    body: multipart,
    status: 207,
    items: [201, 404],
    facts: { results: [{ name: "made" }, { name: "gone" }] },
  },
  {
    name: "makes payments one at a time",
    target: "/payments/batch",
    body: {
      items: [
        { amount: 5, currency: "EUR" },
        { amount: -5, currency: "EUR" },
      ],
    },
    status: 207,
    items: [201, 422],
    facts: { results: [{ data: { status: "succeeded" } }, {}] },
  },
  {
    name: "does not make payments in a transaction",
    target: "/payments/batch",
    headers: strict,
    body: { items: [{ amount: 5, currency: "EUR" }] },
    status: 501,
    facts: { code: "ATOMIC_UNSUPPORTED" },
  },
  { name: "has no batches of what clients may not change", method: "PATCH", target: "/payments/batch", body: { items: [] }, status: 405 },
];
