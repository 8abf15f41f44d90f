import { connect as connectSocket, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { PostgresClient } from "./postgresPool.js";

/** What a client of `pg` knows about its connection. Other clients may not have these fields. */
interface Connected {
  readonly host?: unknown;
  readonly port?: unknown;
  readonly ssl?: unknown;
  readonly processID?: unknown;
  readonly secretKey?: unknown;
}

const timeoutMs = 2_000;
/** How long a cancelled statement may take to end before its connection is closed. */
const endMs = 2_000;
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const cancelCode = 80_877_102;

/** Cancels the statement of a connection. @returns whether it ended; then the cancel request cannot hit a later statement */
export async function endStatement(client: PostgresClient, answer: Promise<unknown>): Promise<boolean> {
  if (!(await cancelStatement(client))) return false;
  const ended = answer.then(
    () => true,
    () => true,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), endMs);
  });
  const hasEnded = await Promise.race([ended, late]);
  clearTimeout(timer);
  return hasEnded;
}

/**
 * Sends a cancel request for the statement of a connection, over a new connection, since the pool may have none left. The server closes the new connection
 * after it has signalled the backend, so the request cannot hit a later statement.
 *
 * @returns whether the server received the request
 * @see PostgreSQL, "Message Flow", Canceling Requests in Progress
 */
async function cancelStatement(client: PostgresClient): Promise<boolean> {
  const { host, port, ssl, processID, secretKey } = client as Connected;
  if (typeof host !== "string" || !Number.isInteger(port) || !Number.isInteger(processID) || !Number.isInteger(secretKey)) return false;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(cancelCode, 4);
  request.writeInt32BE(processID as number, 8);
  request.writeInt32BE(secretKey as number, 12);
  const socket = host.startsWith("/") ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port as number, host);
  const timer = setTimeout(() => socket.destroy(new Error(`The server did not accept the cancel request within ${timeoutMs} ms.`)), timeoutMs);
  try {
    await sendRequest(socket, request, ssl, host);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function sendRequest(socket: Socket, request: Buffer, ssl: unknown, host: string): Promise<void> {
  await happens(socket, "connect");
  if (ssl === undefined || ssl === false || ssl === null) return sendAndClose(socket, request);
  socket.write(sslRequest);
  const [answer] = (await happens(socket, "data")) as [Buffer];
  if (answer.toString("latin1") !== "S") throw new Error("The server does not support TLS.");
  const options: ConnectionOptions = typeof ssl === "object" ? { ...ssl } : {};
  const secure = connectTls({ ...(isIP(host) === 0 ? { servername: host } : {}), ...options, socket });
  await happens(secure, "secureConnect");
  return sendAndClose(secure, request);
}

/** Sends the request and waits until the server closes the connection; it sends no response. */
async function sendAndClose(socket: Socket, request: Buffer): Promise<void> {
  const closed = happens(socket, "close");
  socket.resume();
  socket.write(request);
  await closed;
}

function happens(socket: Socket, event: "connect" | "data" | "secureConnect" | "close"): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once(event, (...values: unknown[]) => resolve(values));
    if (event !== "close") socket.once("close", () => reject(new Error("The server closed the connection.")));
  });
}
