/** Who takes files in pieces. */
export const tusNames = { restwright: "restwright", restwrightFile: 'restwright, durability "file"', peer: "@tus/server" } as const;

/** Where restwright keeps records and bytes. */
export const placeNames = { memory: "memory", disk: "SQLite and disk" } as const;

export type TusName = (typeof tusNames)[keyof typeof tusNames];
export type PlaceName = (typeof placeNames)[keyof typeof placeNames];
