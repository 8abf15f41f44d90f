import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { executeBatch, ProblemError } from "restwright/batch";

/** Invites many people in one request, without a restwright service and storage: `npx tsx examples/batch-alone/main.ts`. */
const invited = new Map<string, number>();

async function invite(address: unknown): Promise<number> {
  if (typeof address !== "string" || !address.includes("@")) throw new ProblemError("VALIDATION_FAILED", "An address must be a text with an @.");
  if (invited.has(address)) throw new ProblemError("DUPLICATE_ADDRESS", `${address} has already been invited.`);
  invited.set(address, invited.size + 1);
  return invited.size;
}

const server = createServer(async (request, response) => {
  try {
    const { status, results, summary } = await executeBatch(await readAddresses(request), {
      mode: "best-effort",
      run: async (address) => ({ status: 201, id: await invite(address) }),
    });
    answer(response, status, { results, summary });
  } catch (error) {
    if (error instanceof ProblemError) answer(response, error.status, { code: error.code, detail: error.message });
    else answer(response, 500, {});
  }
});

async function readAddresses(request: NodeJS.ReadableStream): Promise<readonly unknown[]> {
  const body = await json(request).catch(() => undefined);
  if (Array.isArray(body)) return body;
  throw new ProblemError("INVALID_BATCH", "The body must be an array of addresses.");
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json" }).end(JSON.stringify(body));
}

server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  console.log(`curl http://127.0.0.1:${port}/invitations -d '["ada@example.com","ada@example.com",7]'`);
});
