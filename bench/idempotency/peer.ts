/** A middleware for Express that keeps answers by their keys. It is no dependency: nothing but this benchmark needs it. */
export const peerName = "express-idempotency";

/** What is installed of it. */
export const peerPackage = `${peerName}@1.0.6`;
