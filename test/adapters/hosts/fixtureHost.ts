import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../../tools/eventually.js";
import { type Received, type Sent, send } from "./client.js";
import { createFixture, type Echo, type FixtureState } from "./fixture.js";
import type { Host, HostOptions, RunningHost } from "./host.js";
import { RawConnection } from "./rawConnection.js";

/** The fixture's service on a host, started before the checks of a `describe` and closed after them. */
export interface FixtureHost {
  readonly state: FixtureState;
  readonly port: number;
  send(path: string, sent?: Sent): Promise<Received>;
  /** What the service saw of the request. */
  echo(path: string, sent?: Sent): Promise<Echo>;
  connect(): RawConnection;
}

export function useFixtureHost(host: Host, options: HostOptions = { mount: "" }): FixtureHost {
  const { handle, state } = createFixture();
  let running: RunningHost | undefined;
  const port = () => {
    if (running === undefined) throw new Error("The host has not started.");
    return running.port;
  };
  beforeAll(async () => {
    running = await host.start(handle, options);
  });
  afterAll(async () => {
    await running?.close();
    await allReleased(state);
  });
  return {
    state,
    get port() {
      return port();
    },
    send: (path, sent) => send(port(), path, sent),
    echo: async (path, sent) => JSON.parse((await send(port(), path, sent)).body.toString()),
    connect: () => new RawConnection(port()),
  };
}

/** Waits until no call and no stream of the service is under way. */
export async function allReleased(state: FixtureState): Promise<void> {
  await eventually(() => expect({ handles: state.handles, streams: state.streams }).toEqual({ handles: 0, streams: 0 }));
}
