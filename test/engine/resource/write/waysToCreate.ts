import type { Received, Sent } from "../../../tools/client.js";

/** What one row of a payment says. */
export const amount = 7;

/** How a request that creates is sent. */
export interface Manner {
  /** Id of the row. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A way on which a client can create rows. */
export interface WayToCreate {
  readonly name: string;
  /** Names of the operations of the router that it goes through. */
  readonly operations: readonly string[];
  request(manner: Manner): Sent;
  /** The same all or nothing, where clients can ask for that. */
  strict?(manner: Manner): Sent;
}

const csv = (id: string) => `id,ownerId,amount\n${id},o1,${amount}\n`;
const row = (id: string) => ({ id, ownerId: "o1", amount });
const strictly = ({ id, headers }: Manner): Manner => ({ id, headers: { ...headers, prefer: "handling=strict" } });

function inBatch(operation: (id: string) => object): Pick<WayToCreate, "request" | "strict"> {
  const request = ({ id, headers }: Manner): Sent => ({ method: "POST", target: "/batch", body: { operations: [operation(id)] }, headers });
  return { request, strict: (manner) => request(strictly(manner)) };
}

function file(target: string): Pick<WayToCreate, "request" | "strict"> {
  const send = (to: string, { id, headers }: Manner): Sent => ({
    method: "POST",
    target: to,
    body: csv(id),
    headers: { ...headers, "content-type": "text/csv" },
  });
  return { request: (manner) => send(target, manner), strict: (manner) => send(`${target}&onError=stop`, manner) };
}

/** Each way on which a row of `payments` can come to be; `owners/o1` is there. */
export const waysToCreate: readonly WayToCreate[] = [
  {
    name: "POST",
    operations: ["payments.create"],
    request: ({ id, headers }) => ({ method: "POST", target: "/payments", body: row(id), headers }),
  },
  {
    name: "PUT",
    operations: ["payments.replace"],
    request: ({ id, headers }) => ({ method: "PUT", target: `/payments/${id}`, body: row(id), headers }),
  },
  {
    name: "POST below a parent",
    operations: ["owners.payments.create"],
    request: ({ id, headers }) => ({ method: "POST", target: "/owners/o1/payments", body: { id, amount }, headers }),
  },
  {
    name: "PUT below a parent",
    operations: ["owners.payments.replace"],
    request: ({ id, headers }) => ({ method: "PUT", target: `/owners/o1/payments/${id}`, body: { amount }, headers }),
  },
  {
    name: "a batch of items",
    operations: ["payments.batchCreate"],
    request: ({ id, headers }) => ({ method: "POST", target: "/payments/batch", body: { items: [row(id)] }, headers }),
    strict: ({ id, headers }) => ({
      method: "POST",
      target: "/payments/batch",
      body: { items: [row(id)] },
      headers: { ...headers, prefer: "handling=strict" },
    }),
  },
  {
    name: "POST in /batch",
    operations: ["batch.create", "payments.create"],
    ...inBatch((id) => ({ method: "POST", url: "/payments", body: row(id) })),
  },
  {
    name: "PUT in /batch",
    operations: ["batch.create", "payments.replace"],
    ...inBatch((id) => ({ method: "PUT", url: `/payments/${id}`, body: row(id) })),
  },
  { name: "an import", operations: ["payments.import"], ...file("/payments/import?mode=insert") },
  { name: "an import that upserts", operations: ["payments.import"], ...file("/payments/import?mode=upsert&key=id") },
  { name: "an import as a job", operations: ["imports.create"], ...file("/imports?collection=payments&mode=insert") },
  { name: "an import as a job that upserts", operations: ["jobs.import"], ...file("/jobs/import?collection=payments&mode=upsert&key=id") },
  {
    name: "a batch as a job",
    operations: ["payments.batchCreate"],
    request: ({ id, headers }) => ({
      method: "POST",
      target: "/payments/batch",
      body: { items: [row(id)] },
      headers: { ...headers, prefer: "respond-async" },
    }),
  },
  {
    name: "PUT in /batch as a job",
    operations: ["batch.create", "payments.replace"],
    request: ({ id, headers }) => ({
      method: "POST",
      target: "/batch",
      body: { operations: [{ method: "PUT", url: `/payments/${id}`, body: row(id) }] },
      headers: { ...headers, prefer: "respond-async" },
    }),
  },
];

/** All that a request came to: the codes of the whole, of its items and of its rows, and of the job that it became. */
export function codesOf(answer: Pick<Received, "text">): readonly string[] {
  return [...answer.text.matchAll(/"code":\s*"([A-Z_]+)"/g)].map(([, code]) => String(code));
}
