/** Signatures that others publish. */
export const published = [
  {
    source: "the test suite of Standard Webhooks",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: `{"test": 2432232314}`,
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  {
    source: "the documentation of Svix",
    secret: "whsec_plJ3nmyCDGBKInavdOK15jsl",
    id: "msg_loFOjxBNrRLzqYUf",
    timestamp: 1_731_705_121,
    body: `{"event_type":"ping","data":{"success":true}}`,
    signature: "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
  },
];

/** A delivery of our own. */
export const delivery = {
  id: "evt_01JD0000000000000000000000",
  timestamp: 1_700_000_000,
  body: `{"id":"evt_01JD0000000000000000000000","type":"order.created"}`,
  secrets: ["a secret that was supplied"],
};
