import type { Received, Sent } from "../../tools/client.js";

type Send = (sent: Sent) => Promise<Received>;

/** A job as its body shows it, with the results of all pages. */
export interface ShownJob {
  readonly status: string;
  readonly processedRows: number;
  readonly totalRows: number | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  readonly results: any[];
  readonly summary: { readonly total: number; readonly succeeded: number; readonly failed: number } | undefined;
  readonly document: Record<string, unknown>;
}

/** A job as it stands. */
export async function readJob(send: Send, target: string, headers: Record<string, string> = {}): Promise<ShownJob> {
  const first = await send({ target, headers });
  if (first.status !== 200) throw new Error(first.text);
  const document = first.json;
  const results = [...(document.result?.results ?? [])];
  for (let next = document.links.next; next !== undefined; ) {
    const page = (await send({ target: next, headers })).json;
    results.push(...page.result.results);
    next = page.links.next;
  }
  const { status, processedRows, totalRows, error } = document;
  return { status, processedRows, totalRows, error, results, summary: document.result?.summary, document };
}

/** A job as it ended. */
export async function endedJob(send: Send, target: string, headers: Record<string, string> = {}): Promise<ShownJob> {
  for (let tries = 0; tries < 15_000; tries++) {
    const { status } = (await send({ target, headers })).json;
    if (status === "completed" || status === "failed") return readJob(send, target, headers);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`The job ${target} does not end: ${(await send({ target, headers })).text}`);
}

/** The path of the job that a batch became. */
export function jobOf(answer: Received): string {
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  return String(answer.headers["location"]);
}
