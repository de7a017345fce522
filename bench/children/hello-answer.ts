/** As long as the answer to a create. */
export const HELLO_ANSWER = {
  header_status: 200,
  msg: {
    status: 1,
    text: 'Transaction queued and pending processing',
    ipay_reference: '00000001069C9A3M5V0FQ7HVGWRRS3JA',
    posted_time: '2026-11-21 09:15:00',
  },
};
