import type { z } from "zod";

/** An error with an answer of its own. @see RFC 9457 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly unknown[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, detail: string, errors: readonly unknown[] = [], headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/** The answer to whatever was thrown; a framework's own error keeps its status. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status = statusOf(error);
  if (status !== undefined && status < 500) return new Problem(status, "BAD_REQUEST", error instanceof Error ? error.message : "Bad request.");
  return new Problem(500, "INTERNAL", "Something went wrong here.");
}

/** The body of a problem. */
export function problemDocument({ status, code, message, errors }: Problem, requestId: string): Record<string, unknown> {
  return { type: "about:blank", title: code, status, code, detail: message, requestId, errors };
}

/** Everything that zod found wrong. */
export function invalid(status: number, code: string, error: z.core.$ZodError): Problem {
  const errors = error.issues.map(({ path, message }) => ({ detail: message, pointer: path.map((step) => `/${String(step)}`).join("") }));
  return new Problem(status, code, errors[0]?.detail ?? "Not valid.", errors);
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("statusCode" in error && typeof error.statusCode === "number") return error.statusCode;
  return "status" in error && typeof error.status === "number" ? error.status : undefined;
}
