import { createServer, type ServerResponse } from "node:http";
import { defineQuery, ProblemError, problemDocument } from "restwright/query";
import { z } from "zod";

/** Parses the query of each request and answers with its filter, order and page, as a database needs them: `npx tsx examples/parsers-only/query.ts`. */
const orders = defineQuery(
  z.object({
    id: z.int(),
    status: z.enum(["open", "paid", "void"]),
    total: z.number(),
    createdAt: z.date(),
    note: z.string().nullable(),
    tags: z.array(z.string()),
    address: z.object({ city: z.string(), zip: z.string() }),
  }),
  { search: ["note", "address.city"], ranges: true, ignoreParameters: ["utm_*"] },
);

const server = createServer((request, response) => {
  const { url = "" } = request;
  const start = url.indexOf("?");
  try {
    const { filter, sort, page, perPage } = orders.parse(start === -1 ? "" : url.slice(start + 1));
    answer(response, 200, "application/json", { filter, sort, limit: perPage, offset: (page - 1) * perPage });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    answer(response, error.status, "application/problem+json", problemDocument(error, crypto.randomUUID()));
  }
});

function answer(response: ServerResponse, status: number, type: string, body: object): void {
  response.writeHead(status, { "content-type": type }).end(`${JSON.stringify(body, null, 2)}\n`);
}

server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  console.log(`http://127.0.0.1:${port}/orders?status=open,paid&minTotal=5&address.city=Rome&createdAt[lte]=2026-01-31&sort=-total&page=2`);
});
