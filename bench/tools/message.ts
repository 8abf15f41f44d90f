/** The text of a request as a client would send it. */
export function requestText(method: string, target: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): string {
  const content = body === undefined ? "" : JSON.stringify(body);
  const lines = Object.entries({
    host: "127.0.0.1",
    "user-agent": "bench",
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(content)) }),
    ...headers,
  });
  return `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${content}`;
}
