import { Connection } from "../tools/connection.js";
import { requestText } from "../tools/message.js";
import { seededRows } from "../tools/seed.js";
import { walkByCursor } from "./walk.js";

/** One kind of request. */
export interface Workload {
  readonly name: string;
  readonly status: number;
  /** Makes the requests for one server; two servers get the same ones. */
  prepare(port: number): Promise<() => string> | (() => string);
}

/** Prime to the numbers of rows and of pages: the requests walk through all of them. */
const stride = 3_571;
const taggedRows = 500;

const listed = "status=inactive&name=Customer%2025&sort=-createdAt&fields=id,name,email,status,createdAt";

/** Two filters, a sort and a choice of fields: an index on `status` narrows 10,000 rows to 400, the name to 200. */
export const list20 = `/users?${listed}&perPage=20`;
/** The same with pages of 100. */
export const list100 = `/users?${listed}&perPage=100`;

export const workloads: readonly Workload[] = [
  { name: "get", status: 200, prepare: () => cycle(seededRows, (id) => requestText("GET", `/users/${id}`)) },
  { name: "304", status: 304, prepare: conditionalReads },
  { name: "list20", status: 200, prepare: () => () => requestText("GET", list20) },
  { name: "list100", status: 200, prepare: () => () => requestText("GET", list100) },
  { name: "cursor20", status: 200, prepare: cursorPages },
  { name: "post", status: 201, prepare: creations },
  { name: "patch", status: 200, prepare: changes },
];

/** Calls `make` with 1 to `count`, over and over, in a scattered order. */
function cycle(count: number, make: (id: number, turn: number) => string): () => string {
  let turn = 0;
  return () => {
    turn += 1;
    return make(((turn * stride) % count) + 1, turn);
  };
}

async function conditionalReads(port: number): Promise<() => string> {
  const connection = await Connection.open(port);
  const tags: string[] = [];
  for (let id = 1; id <= taggedRows; id++) {
    const { head } = await connection.send(requestText("GET", `/users/${id}`));
    tags.push(/\r\netag: *(\S+)/i.exec(head)?.[1] ?? "");
  }
  connection.close();
  return cycle(taggedRows, (id) => requestText("GET", `/users/${id}`, { "if-none-match": tags[id - 1] ?? "" }));
}

/** Both directions; the cursors are the server's own. */
async function cursorPages(port: number): Promise<() => string> {
  const pages = await walkByCursor(port, list20);
  return cycle(pages.length, (page) => requestText("GET", pages[page - 1]?.target ?? ""));
}

function creations(): () => string {
  return cycle(seededRows, (_id, turn) =>
    requestText("POST", "/users", {}, { ...newUser, name: `New customer ${turn % 50}`, email: `new.customer.${turn}@example.com` }),
  );
}

function changes(): () => string {
  const headers = { "content-type": "application/merge-patch+json" };
  return cycle(seededRows, (id, turn) =>
    // No divisor of the number of rows: a row whose turn comes again gets another name, since a change that changes nothing is not written.
    requestText("PATCH", `/users/${id}`, headers, { name: `Changed ${turn % 53}`, preferences: { locale: turn % 2 === 0 ? "nb" : "en" } }),
  );
}

/** What a client sends for a new user, without what differs from one to the next. */
export const newUser = {
  status: "active",
  preferences: { newsletter: true, locale: "en-GB" },
  tags: ["customer", "new"],
  address: { city: "Bergen", country: "Norway" },
};
