import { expect } from "vitest";
import type { WireAnswer } from "./stage.js";

/** What is wrong with an answer in the eyes of a browser, a client that parses it, or a host that has to send it; `undefined` if nothing is. */
export function faultOf({ status, headers, body }: WireAnswer): string | undefined {
  const type = String(headers["content-type"] ?? "");
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(type);
  // 501 names what a client asks for in vain, such as a transfer coding; it is no fault of the service.
  if (status >= 500 && status !== 501) return `It is ${status}: ${body.toString().slice(0, 300)}`;
  if (headers["x-content-type-options"] !== "nosniff") return "It has no nosniff.";
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(String(headers["x-request-id"]))) return "It has no request id.";
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[a-z0-9-]+$/.test(name) || name === "x-injected") return `It has a header called ${JSON.stringify(name)}.`;
    // Node refuses to send anything else.
    for (const line of [value].flat()) if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(line)) return `Its header ${name} is ${JSON.stringify(line)}.`;
  }
  if (body.length > 0 && !isJson && !type.startsWith("multipart/mixed")) {
    if (headers["content-security-policy"] !== "default-src 'none'; frame-ancestors 'none'; sandbox") return `A browser may run it as ${type}.`;
    if (!/^(?:attachment|inline)/.test(String(headers["content-disposition"]))) return `It has no disposition as ${type}.`;
  }
  return status >= 400 && body.length > 0 ? problemFault({ status, headers, body }, type) : undefined;
}

function problemFault({ status, headers, body }: WireAnswer, type: string): string | undefined {
  if (type !== "application/problem+json") return `The problem has the type ${type}.`;
  const problem = parsed(body);
  const isWhole = problem?.["status"] === status && typeof problem["code"] === "string" && typeof problem["title"] === "string";
  // A replay of an Idempotency-Key repeats the body of the first answer, with its id.
  const isOwn = problem?.["requestId"] === headers["x-request-id"] || headers["idempotent-replayed"] === "true";
  return isWhole && isOwn ? undefined : `The problem is not one: ${body.toString().slice(0, 300)}`;
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Fails with what is wrong with an answer. */
export function expectSafe(answer: WireAnswer): void {
  expect(faultOf(answer)).toBeUndefined();
}
