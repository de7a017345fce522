export interface Payment {
  /** Flutterwave's names. */
  readonly txRef: string;
  readonly flwRef: string;
  /** The caller's. */
  readonly reference: string;
  readonly billerCode: string;
  readonly itemCode: string;
  readonly customer: string;
  readonly amount: number;
  readonly callbackUrl: string | null;
  status: 'pending' | 'success' | 'fail';
  endedAtMs: number | null;
  /** Of prepaid electricity. */
  token: string | null;
}

export function envelope(status: 'success' | 'error', message: string, data: object | null) {
  return { status, message, data };
}

export function validated(itemCode: string, billerCode: string, customer: string) {
  return envelope('success', 'Item validated successfully', {
    response_code: '00',
    address: null,
    response_message: 'Successful',
    name: 'TEST CUSTOMER',
    biller_code: billerCode,
    customer,
    product_code: itemCode,
    email: null,
    fee: 0,
    maximum: 0,
    minimum: 0,
  });
}

/** `reference` in the answer is not the caller's. */
export function paidAnswer(payment: Payment, code: string) {
  return envelope('success', 'Bill payment successful', {
    phone_number: payment.customer,
    amount: payment.amount,
    network: `${payment.billerCode} Payment`,
    code,
    tx_ref: payment.txRef,
    reference: payment.flwRef,
    batch_reference: null,
    recharge_token: payment.token,
    fee: 100,
  });
}

/** It has no field for the status: that the payment is found is all that is said. */
export function statusAnswer(payment: Payment) {
  return envelope('success', 'Bill status fetch successful', {
    currency: 'KES',
    customer_id: payment.customer,
    frequency: 'One Time',
    amount: payment.amount.toFixed(2),
    fee: 100,
    product: `${payment.billerCode} Payment`,
    product_name: `${payment.billerCode} Payment`,
    commission: 10,
    transaction_date: new Date(payment.endedAtMs ?? Date.now()).toISOString(),
    customer_reference: payment.reference,
    country: 'KE',
    flw_ref: payment.flwRef,
    tx_ref: payment.txRef,
    batch_id: 3_408_739,
    extra: payment.token,
    product_details: `FLY-API-KE-${payment.billerCode} Payment`,
  });
}

export function webhook(payment: Payment) {
  const isPaid = payment.status === 'success';
  return {
    event: 'singlebillpayment.status',
    'event.type': 'SingleBillPayment',
    data: {
      customer: payment.customer,
      amount: payment.amount,
      network: `${payment.billerCode} Payment`,
      tx_ref: payment.txRef,
      flw_ref: payment.flwRef,
      batch_reference: null,
      customer_reference: payment.reference,
      status: payment.status,
      message: isPaid ? 'Bill Payment was completed successfully' : 'Bill Payment failed',
      reference: null,
    },
  };
}
